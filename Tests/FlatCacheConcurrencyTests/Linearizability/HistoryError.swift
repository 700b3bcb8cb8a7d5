@testable import FlatCacheTestSupport

/// The error that the closures of a history throw.
struct HistoryError: Error {
    /// The results of the calls inside the closure.
    var results: [HistoryResult] = []
}
