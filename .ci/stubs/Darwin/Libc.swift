// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public import Glibc

// The differences of the system's C library from Glibc.

public struct _opaque_pthread_t {}

public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>

public func pthread_self() -> pthread_t {
    guard let thread = pthread_t(bitPattern: Glibc.pthread_self()) else {
        preconditionFailure("A running thread has an address.")
    }
    return thread
}

extension stat {
    public var st_atimespec: timespec { st_atim }
    public var st_mtimespec: timespec { st_mtim }
    public var st_ctimespec: timespec { st_ctim }
}

public var O_EVTONLY: Int32 { 0x8000 }
public var O_SYMLINK: Int32 { 0x20_0000 }
public var F_FULLFSYNC: Int32 { 51 }
public var F_BARRIERFSYNC: Int32 { 85 }
