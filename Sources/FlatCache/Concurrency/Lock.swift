/// A lock that is held for moments: no code of the library's users runs under it, save `==` of
/// an identifier.
///
/// Its memory is that of whatever it is a part of, which must not move.
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
