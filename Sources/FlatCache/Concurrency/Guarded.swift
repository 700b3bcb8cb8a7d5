/// A plain value that is reached only under its lock.
final class Guarded<State>: @unchecked Sendable {
    private let lock = Lock()
    // Guarded by `lock`.
    private var state: State

    init(_ state: State) {
        self.state = state
    }

    func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.acquire()
        defer { lock.release() }
        return try body(&state)
    }
}
