#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Bionic)
import Bionic
#endif

/// The number of entities that the calling thread is decoding inside each other.
///
/// Each level of a document takes several frames of the thread's stack, so a document from a server
/// must not determine the number of levels. The length of a coding path would give the level, too,
/// but decoders build the path anew for each call.
@usableFromInline
enum EmbeddingDepth {
    /// A level takes up to 9 KB of the stack in a debug build, and a thread of a dispatch queue has
    /// 512 KB.
    static let maximum = 32

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
    /// - Throws: A `DecodingError` if there are too many levels.
    @usableFromInline
    static func enter(at codingPath: @autoclosure () -> [any CodingKey]) throws {
        let depth = Int(bitPattern: pthread_getspecific(key))
        guard depth < maximum else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: codingPath(),
                    debugDescription: """
                        Entities are embedded in each other more than \(maximum) levels deep.
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
