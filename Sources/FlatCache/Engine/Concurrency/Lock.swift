/// A lock for brief critical sections.
///
/// No user code runs under the lock, except `==` of an identifier and `now` of a custom clock. The
/// lock is stored inline in its owner, whose memory must not move.
@usableFromInline
struct Lock: ~Copyable, Sendable {
    @usableFromInline let word = LockWord()

    @usableFromInline init() {}

    @inlinable @inline(__always)
    func acquire() { word.acquire() }

    @inlinable @inline(__always)
    func release() { word.release() }

    @inlinable
    func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        acquire()
        defer { release() }
        return try body()
    }
}
