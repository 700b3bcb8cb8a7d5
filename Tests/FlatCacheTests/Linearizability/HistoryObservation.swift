import FlatCache

/// An observation of a history: the entries that it has received, the initial ones first.
struct HistoryObservation: Sendable {
    let received: Recorder<[Int]?>
    let token: Disposable
}
