/// The progress of a loading list's next page.
struct NextPageProgress {
    /// The number of changes so far.
    private(set) var version = 0
    /// The number of callers that wait for the page.
    var callCount = 0 { didSet { version += 1 } }
    /// The error of the last call.
    var error: (any Error)? { didSet { version += 1 } }

    var state: LoadState {
        if callCount > 0 { return .loading }
        return error.map { .failed($0, nextAttempt: nil) } ?? .idle
    }
}
