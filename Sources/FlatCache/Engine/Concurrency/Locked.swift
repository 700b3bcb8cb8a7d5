/// A plain value that is accessible only under its lock.
@usableFromInline
package final class Locked<State>: @unchecked Sendable {
    @usableFromInline let lock = Lock()
    // Guarded by `lock`.
    @exclusivity(unchecked) @usableFromInline var state: State

    @usableFromInline
    package init(_ state: State) {
        self.state = state
    }

    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.acquire()
        defer { lock.release() }
        return try body(&state)
    }
}
