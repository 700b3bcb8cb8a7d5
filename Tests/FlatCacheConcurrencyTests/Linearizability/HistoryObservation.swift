import FlatCache

@testable import FlatCacheTestSupport

/// An observation of a history, with the received entries, beginning with the initial ones.
struct HistoryObservation: Sendable {
    let received: Recorder<[Int]?>
    let token: Disposable
}
