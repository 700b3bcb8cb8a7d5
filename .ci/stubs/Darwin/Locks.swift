// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
@_exported public import Glibc

/// An implementation with a POSIX lock, whose size differs from the system's lock.
public struct os_unfair_lock_s {
    fileprivate var mutex = pthread_mutex_t()

    public init() {}
}

public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>

public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) {
    pthread_mutex_lock(&lock.pointee.mutex)
}

public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool {
    pthread_mutex_trylock(&lock.pointee.mutex) == 0
}

public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) {
    pthread_mutex_unlock(&lock.pointee.mutex)
}
