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
    private struct Stack {
        let lowestAddress: UInt
        let size: UInt

        /// The size of the part that isn't used for further levels of a document, in bytes.
        ///
        /// A level takes up to 9 KB in a debug build, and three times as much under
        /// AddressSanitizer. The decoding of the entity at the last level, and of its error, needs
        /// the rest. The reserve is at most half of a stack, since stacks can be as small as the
        /// 128 KB of a thread with Musl.
        var reserve: UInt { min(192 * 1024, size / 2) }
    }

    // Written once, before its first use. The address itself belongs to a thread.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, nil)
        precondition(status == 0, "The system has no thread-specific key left (error \(status)).")
        return key
    }()

    /// Returns whether the reserve of the calling thread's stack is unused.
    ///
    /// - Parameter depth: The number of levels, at least one.
    static func hasReserve(at depth: Int) -> Bool {
        let known = UInt(bitPattern: pthread_getspecific(key))
        return stackPointer(at: depth) > (known == 0 ? findLimit() : known)
    }

    /// The approximate address of the end of the used stack.
    ///
    /// A stack grows downwards.
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
        let limit = stack.map { $0.lowestAddress + $0.reserve } ?? 1
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: limit))
        return limit
    }

    #if canImport(Darwin)
    private static var stack: Stack? {
        let thread: pthread_t = pthread_self()
        // The system calls the highest address of a stack its address.
        let highest = UInt(bitPattern: pthread_get_stackaddr_np(thread))
        let size = UInt(pthread_get_stacksize_np(thread))
        return Stack(lowestAddress: highest - size, size: size)
    }
    #else
    private static var stack: Stack? {
        var attributes = pthread_attr_t()
        guard getAttributes(pthread_self(), &attributes) == 0 else { return nil }
        defer { pthread_attr_destroy(&attributes) }
        var address: UnsafeMutableRawPointer?
        var knownSize = 0
        guard pthread_attr_getstack(&attributes, &address, &knownSize) == 0, let address else {
            return nil
        }
        let highest = UInt(bitPattern: address) + UInt(knownSize)
        #if canImport(Musl)
        let size = max(UInt(knownSize), mainThreadSize ?? 0)
        #else
        let size = UInt(knownSize)
        #endif
        return Stack(lowestAddress: highest - size, size: size)
    }
    #endif

    #if canImport(Musl)
    /// The size to which the stack of the main thread may grow, at most 8 MB, or `nil` on another
    /// thread.
    ///
    /// Musl reports only the part of the main thread's stack that has been used so far.
    private static var mainThreadSize: UInt? {
        guard getpid() == gettid() else { return nil }
        var limit = rlimit()
        guard getrlimit(RLIMIT_STACK, &limit) == 0 else { return nil }
        return UInt(min(limit.rlim_cur, 8 << 20))
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

/// The number of entities that the calling thread is decoding inside each other.
///
/// Each level of a document takes several frames of the thread's stack, so a document from a server
/// must not determine the number of levels. The length of a coding path would give the level, too,
/// but decoders build the path anew for each call. Threads other than the main thread have small
/// stacks, so the remaining stack is checked as well.
@usableFromInline
enum EmbeddingDepth {
    static let maximum = 256
    /// The number of levels that every stack is expected to hold.
    private static let shallowMaximum = 8

    // Written once, before its first use. The number of levels itself belongs to a thread.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, nil)
        precondition(status == 0, "The system has no thread-specific key left (error \(status)).")
        return key
    }()

    /// Begins another level.
    ///
    /// - Parameter codingPath: The path of the embedded entity.
    /// - Throws: A `DecodingError` if there are too many levels, or if they take too much of the
    ///   thread's stack.
    @usableFromInline
    static func enter(at codingPath: @autoclosure () -> [any CodingKey]) throws {
        let depth = Int(bitPattern: pthread_getspecific(key))
        guard depth < maximum, depth < shallowMaximum || StackLimit.hasReserve(at: depth) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: codingPath(),
                    debugDescription: """
                        Entities are embedded in each other more than \(maximum) levels deep, or \
                        deeper than the stack of the thread allows.
                        """
                )
            )
        }
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: depth + 1))
    }

    @usableFromInline
    static func leave() {
        let depth = Int(bitPattern: pthread_getspecific(key))
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: depth - 1))
    }
}
