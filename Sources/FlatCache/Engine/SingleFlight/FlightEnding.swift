/// The effects of the end of a call or of a caller's wait, to be carried out under no lock.
struct FlightEnding: Sendable {
    /// The callers to resume, whose results are set.
    var continuations: [UnsafeContinuation<Void, Never>] = []
    /// The tasks of calls that are no longer needed.
    var tasks: [Task<Void, Never>] = []
    var abandonments: [@Sendable () -> Void] = []
    /// The calls that a caller no longer waits for.
    ///
    /// The release of their outputs may run any code.
    var calls: [any AnyObject & Sendable] = []

    func end() {
        for abandonment in abandonments { abandonment() }
        for task in tasks { task.cancel() }
        for continuation in continuations { continuation.resume() }
    }
}
