/// A lock that is held for moments: no code of the library's users runs under it, save `hash` and
/// `==` of an identifier.
@usableFromInline
struct Lock: ~Copyable, Sendable {
    @usableFromInline let platform = PlatformLock()

    deinit { platform.deallocate() }

    @inlinable
    func acquire() { platform.acquire() }

    @inlinable
    func release() { platform.release() }

    @inlinable
    func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        platform.acquire()
        defer { platform.release() }
        return try body()
    }
}
