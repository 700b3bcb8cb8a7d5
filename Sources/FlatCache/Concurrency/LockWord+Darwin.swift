#if canImport(Darwin)
/// What makes a `Lock` exclusive: the system's lock, which lends a waiting thread's priority to the
/// holder, as a lock of our own could not.
@usableFromInline
struct LockWord: ~Copyable, Sendable {
    @usableFromInline let platform = PlatformLock()

    @usableFromInline init() {}

    deinit { platform.deallocate() }

    @inlinable @inline(__always)
    func acquire() { platform.acquire() }

    @inlinable @inline(__always)
    func release() { platform.release() }
}
#endif
