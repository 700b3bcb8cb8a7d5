#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Bionic)
import Bionic
#endif

/// A problem of the data that a cache has received, which isn't an error of any call.
///
/// <!-- prelude: none -->
/// ```swift
/// import FlatCache
///
/// var configuration = CacheConfiguration()
/// configuration.onDiagnostic = { diagnostic in print("Cache: \(diagnostic)") }
/// let cache = Cache(configuration: configuration)
/// ```
///
/// A cache reports each kind of problem once for each type.
public struct CacheDiagnostic: Sendable, CustomStringConvertible {
    /// The key of the entity that the problem concerns.
    public let key: CacheKey
    /// What has happened, and what to do about it.
    public let message: String

    /// The key and the message.
    public var description: String { "\(key): \(message)" }

    /// Writes a diagnostic to the standard error stream.
    static func report(_ diagnostic: CacheDiagnostic) {
        var text = "FlatCache: \(diagnostic)\n"
        text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
    }
}
