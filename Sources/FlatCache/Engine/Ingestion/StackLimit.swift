#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Bionic)
import Bionic
#endif

/// The end of the calling thread's stack.
enum StackLimit {
    /// The size of the part of a stack that isn't used for further levels of a document, in bytes.
    ///
    /// A level takes up to 9 KB in a debug build, and three times as much under AddressSanitizer.
    /// The decoding of the entity at the last level, and of its error, needs the rest.
    private static let reserve: UInt = 192 * 1024

    // Written once, before its first use. The address itself belongs to a thread.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, nil)
        precondition(status == 0, "The system has no thread-specific key left (error \(status)).")
        return key
    }()

    /// Returns a Boolean value that indicates whether the reserve of the calling thread's stack is
    /// unused.
    ///
    /// - Parameter depth: The number of levels, at least one.
    static func hasReserve(at depth: Int) -> Bool {
        let known = UInt(bitPattern: pthread_getspecific(key))
        return stackPointer(at: depth) > (known == 0 ? findLimit() : known)
    }

    /// The approximate address of the end of the used stack, which grows downwards.
    ///
    /// AddressSanitizer keeps variables outside the stack, but not memory of a variable size. So
    /// the size depends on the number of levels.
    private static func stackPointer(at depth: Int) -> UInt {
        withUnsafeTemporaryAllocation(byteCount: depth, alignment: 16) {
            UInt(bitPattern: $0.baseAddress)
        }
    }

    /// Finds the lowest address outside the reserve, and remembers it for the thread.
    private static func findLimit() -> UInt {
        // An unknown stack is never used up.
        let limit = lowestAddress.map { $0 + reserve } ?? 1
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: limit))
        return limit
    }

    #if canImport(Darwin)
    private static var lowestAddress: UInt? {
        let thread: pthread_t = pthread_self()
        // The system calls the highest address of a stack its address.
        let highest = UInt(bitPattern: pthread_get_stackaddr_np(thread))
        return highest - UInt(pthread_get_stacksize_np(thread))
    }
    #else
    private static var lowestAddress: UInt? {
        var attributes = pthread_attr_t()
        guard getAttributes(pthread_self(), &attributes) == 0 else { return nil }
        defer { pthread_attr_destroy(&attributes) }
        var address: UnsafeMutableRawPointer?
        var size = 0
        guard pthread_attr_getstack(&attributes, &address, &size) == 0 else { return nil }
        return address.map { UInt(bitPattern: $0) }
    }
    #endif
}

#if !canImport(Darwin)
// The headers declare this function only for C code that asks for GNU extensions.
@_silgen_name("pthread_getattr_np")
private func getAttributes(
    _ thread: pthread_t,
    _ attributes: UnsafeMutablePointer<pthread_attr_t>
) -> Int32
#endif
