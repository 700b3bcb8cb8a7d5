/// A lock that is held for moments: no code of the library's users runs under it, save `hash` and `==`
/// of an identifier.
struct Lock: ~Copyable, Sendable {
    private let platform = PlatformLock()

    deinit { platform.deallocate() }

    func acquire() { platform.acquire() }

    func release() { platform.release() }

    func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        platform.acquire()
        defer { platform.release() }
        return try body()
    }
}
