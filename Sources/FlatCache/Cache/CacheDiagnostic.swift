#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Bionic)
import Bionic
#endif

/// A problem that no call reports as an error.
///
/// For example, a response contains only a short form of an entity, an ``OpenLayer`` is released
/// while it's open, or a mutation of `FlatCacheFoundation` can't be decoded.
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
/// A cache reports each kind of problem with received data once for each type, and the problems of
/// layers and mutations each time. By default it writes a line to the standard error stream.
public struct CacheDiagnostic: Sendable, CustomStringConvertible {
    /// The key of the entity that the problem concerns.
    public let key: CacheKey
    /// A description of the problem, and of its remedy.
    public let message: String

    /// The key and the message.
    public var description: String { "\(key): \(message)" }

    /// Writes a diagnostic to the standard error stream.
    static func report(_ diagnostic: CacheDiagnostic) {
        var text = "FlatCache: \(diagnostic)\n"
        text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
    }
}

/// A problem that a cache reports once for each type.
struct ReportedProblem: Hashable {
    enum Kind { case shortForm, undecodableReference, plainEntity }

    let kind: Kind
    let type: ObjectIdentifier

    init(_ kind: Kind, of type: Any.Type) {
        self.kind = kind
        self.type = ObjectIdentifier(type)
    }
}

extension CacheCore {
    /// Reports a problem, unless it has been reported.
    ///
    /// The message names the cause and the remedy.
    func report(
        _ problem: ReportedProblem,
        of key: CacheKey,
        _ message: @autoclosure () -> String
    ) {
        guard reportedProblems.withLock({ $0.insert(problem).inserted }) else { return }
        deliver(through: deliveryQueue.append([report(message(), of: key)]))
    }

    /// Returns the notification that reports a problem.
    func report(_ message: String, of key: CacheKey) -> Notification {
        let diagnostic = CacheDiagnostic(key: key, message: message)
        return .action { [onDiagnostic] in onDiagnostic(diagnostic) }
    }
}
