/// A value that knows how new it is, such as by a revision or a date of its last modification.
///
/// Responses may arrive in another order than that in which they were made. With this, an older value
/// never overwrites a newer one:
///
/// ```swift
/// struct Article: Identifiable, Versioned, Sendable {
///     let id: Int
///     var headline: String
///     var revision: Int
///
///     static var versionKeyPath: KeyPath<Article, Int> { \.revision }
/// }
///
/// cache.set(Article(id: 1, headline: "Corrected", revision: 2))
/// cache.set(Article(id: 1, headline: "Wrong", revision: 1))
/// print(cache[Article.self, 1]?.headline ?? "")  // Corrected
/// ```
///
/// `set`, in all its forms, compares the incoming value with the stored one. If the stored value is
/// newer, it stays; if the type is ``Mergeable``, too, the older value may still fill what is missing:
/// then the stored value is merged into it, as if they had come in their order. Of two equally new
/// values the later arrival counts as newer. `replace` and `update` don't compare.
///
/// A partial value may lack its version: declare the version as an optional. An absent version is not
/// compared, so a value without one is stored or merged as if the type had no versions.
///
/// ```swift
/// struct Comment: Identifiable, Mergeable, Versioned, Sendable {
///     let id: Int
///     var text: String?
///     var revision: Int?
///
///     static var versionKeyPath: KeyPath<Comment, Int?> { \.revision }
///
///     func merged(with other: Comment) -> Comment {
///         Comment(id: id, text: other.text ?? text, revision: other.revision ?? revision)
///     }
/// }
/// ```
///
/// The version of a removed value, evicted ones included, is forgotten. Where only the response knows
/// how new a value is, use ``Cache/set(_:modifiedAt:)``.
///
/// ## Concurrency
/// The cache asks for the key path when it first meets the type, on any thread and possibly in the
/// middle of a write. The thread that writes reads and compares versions, under the writers' lock:
/// there the cache may be read but not changed.
public protocol Versioned: Sendable {
    /// The type of the versions: `Comparable`, or an optional of a `Comparable` type.
    associatedtype Version

    /// The property that tells how new a value is: the greater, the newer.
    static var versionKeyPath: KeyPath<Self, Version> { get }

    /// Returns whether a version is older than another one.
    ///
    /// Implemented for versions that are `Comparable` and for optionals of these, where an absent
    /// version is neither older nor newer.
    ///
    /// - Parameters:
    ///   - version: The version in question.
    ///   - other: The version that it is compared with.
    static func isVersion(_ version: Version, olderThan other: Version) -> Bool
}

extension Versioned where Version: Comparable {
    /// Returns whether a version is less than another one.
    ///
    /// - Parameters:
    ///   - version: The version in question.
    ///   - other: The version that it is compared with.
    @inlinable
    public static func isVersion(_ version: Version, olderThan other: Version) -> Bool {
        version < other
    }
}

extension Versioned {
    /// Returns whether both versions are present and one is less than the other.
    ///
    /// - Parameters:
    ///   - version: The version in question.
    ///   - other: The version that it is compared with.
    @inlinable
    public static func isVersion<Wrapped: Comparable>(
        _ version: Wrapped?,
        olderThan other: Wrapped?
    ) -> Bool where Version == Wrapped? {
        guard let version, let other else { return false }
        return version < other
    }
}
