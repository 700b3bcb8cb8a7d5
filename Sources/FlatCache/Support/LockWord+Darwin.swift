#if canImport(Darwin)
/// The implementation of a `Lock` by the system's lock.
///
/// The system's lock gives its holder the priority of a waiting thread, if that is higher. A custom
/// lock can't do that.
@usableFromInline
struct LockWord: ~Copyable, Sendable {
    @usableFromInline let platform = PlatformLock()

    @usableFromInline init() {}

    deinit { platform.deallocate() }

    #if TestHooks
    var identity: StateTracking.Identity { StateTracking.Identity(address: platform.lock) }
    #endif

    @inlinable @inline(__always)
    func acquire() { platform.acquire() }

    func acquireIfFree() -> Bool { platform.acquireIfFree() }

    @inlinable @inline(__always)
    func release() { platform.release() }
}
#endif
