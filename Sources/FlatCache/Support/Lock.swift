/// A lock for brief critical sections.
///
/// No user code runs under the lock, except `==` of an identifier and `now` of a custom clock. The
/// lock is stored inline in its owner, whose memory must not move.
@usableFromInline
struct Lock: ~Copyable, Sendable {
    @usableFromInline let word = LockWord()

    @usableFromInline init() {}

    #if TestHooks
    @usableFromInline
    func acquire() {
        Perturbation.perturb()
        word.acquire()
        StateTracking.didRead(word.identity)
    }

    @usableFromInline
    func release() {
        // After the release, another thread may release the owner's memory.
        let identity = word.identity
        word.release()
        StateTracking.didChange(identity)
        Perturbation.perturb()
    }
    #else
    @inlinable @inline(__always)
    func acquire() { word.acquire() }

    @inlinable @inline(__always)
    func release() { word.release() }
    #endif

    /// Waits briefly until the lock is free, and returns whether it is.
    ///
    /// If the calling thread holds the lock, the method returns `false`.
    ///
    /// - Parameter attempts: The number of times that this method looks for a free lock, with a
    ///   system call in between.
    func isSoonFree(attempts: Int = 1_000) -> Bool {
        for _ in 0..<attempts {
            if word.acquireIfFree() {
                release()
                return true
            }
            yieldToOtherThreads()
        }
        return false
    }

    @inlinable
    func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        acquire()
        defer { release() }
        return try body()
    }
}

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
