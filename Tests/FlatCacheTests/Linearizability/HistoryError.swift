/// What the closures of a history throw.
struct HistoryError: Error {
    /// What the calls inside the closure have shown.
    var results: [HistoryResult] = []
}
