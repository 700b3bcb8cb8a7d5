// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public import Glibc

// Implementations of the functions for threads that differ from Glibc's.

@discardableResult
public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>,
    _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    let box = Unmanaged.passRetained(ThreadStart(start: start, argument: argument))
    var number: Glibc.pthread_t = 0
    let status = Glibc.pthread_create(
        &number,
        attributes,
        { box in
            guard let box else { return nil }
            let call = Unmanaged<ThreadStart>.fromOpaque(box).takeRetainedValue()
            return call.argument.flatMap { call.start($0) }
        },
        box.toOpaque()
    )
    thread.pointee = pthread_t(bitPattern: number)
    return status
}

private final class ThreadStart {
    let start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?
    let argument: UnsafeMutableRawPointer?

    init(
        start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
        argument: UnsafeMutableRawPointer?
    ) {
        self.start = start
        self.argument = argument
    }
}

public var PTHREAD_CREATE_DETACHED: Int32 { 1 }

public var CLOCK_UPTIME_RAW: clockid_t { CLOCK_MONOTONIC }

public func clock_gettime_nsec_np(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

@discardableResult
public func pthread_cond_timedwait_relative_np(
    _ condition: UnsafeMutablePointer<pthread_cond_t>,
    _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
    _ time: UnsafePointer<timespec>?
) -> Int32 {
    guard let time else { return pthread_cond_wait(condition, mutex) }
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    let nanoseconds = deadline.tv_nsec + time.pointee.tv_nsec
    deadline.tv_sec += time.pointee.tv_sec + nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    return pthread_cond_timedwait(condition, mutex, &deadline)
}

public func pthread_get_stackaddr_np(_ thread: pthread_t) -> UnsafeMutableRawPointer {
    let stack = stackOfCurrentThread()
    return stack.lowestAddress + stack.size
}

public func pthread_get_stacksize_np(_ thread: pthread_t) -> Int { stackOfCurrentThread().size }

private func stackOfCurrentThread() -> (lowestAddress: UnsafeMutableRawPointer, size: Int) {
    var attributes = pthread_attr_t()
    var address: UnsafeMutableRawPointer?
    var size = 0
    getAttributes(Glibc.pthread_self(), &attributes)
    pthread_attr_getstack(&attributes, &address, &size)
    pthread_attr_destroy(&attributes)
    guard let address else { preconditionFailure("A running thread has a stack.") }
    return (address, size)
}

// Glibc's headers hide this function.
@discardableResult
@_silgen_name("pthread_getattr_np")
private func getAttributes(
    _ thread: Glibc.pthread_t,
    _ attributes: UnsafeMutablePointer<pthread_attr_t>
) -> Int32
