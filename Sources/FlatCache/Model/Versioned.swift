/// A value with a version, such as a revision number or the date of its last modification.
///
/// Responses may arrive out of order. With a version, an older value never overwrites a newer one:
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
/// All forms of `set` compare the incoming value with the stored value. If the stored value is
/// newer, it stays. If the type is also ``Mergeable``, the older value can still fill in missing
/// properties: the cache then merges the stored value into it, as if the two had arrived in order.
/// If both are equally new, the incoming value counts as the newer one. `replace` and `update`
/// don't compare versions.
///
/// A partial value may lack its version. To allow that, declare the version as an optional. The
/// cache doesn't compare absent versions: it stores or merges a value without a version as if the
/// type had no versions.
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
/// When a value is removed, by eviction or otherwise, the cache forgets its version. If only the
/// response knows how new a value is, use ``Cache/set(_:modifiedAt:)``.
///
/// ## Concurrency
/// The cache reads the key path when it first encounters the type, on any thread and possibly in
/// the middle of a write. The writing thread reads and compares versions under the writers' lock.
/// Inside this code, the cache may be read but not changed.
public protocol Versioned: Sendable {
    /// The type of the versions: `Comparable`, or an optional of a `Comparable` type.
    associatedtype Version

    /// The key path of the version, of which a greater one is newer.
    static var versionKeyPath: KeyPath<Self, Version> { get }

    /// Returns a Boolean value that indicates whether a version is older than another one.
    ///
    /// The protocol implements this method for `Comparable` versions and for optionals of these. An
    /// absent version is neither older nor newer than another one.
    ///
    /// - Parameters:
    ///   - version: The version to compare.
    ///   - other: The version to compare it with.
    static func isVersion(_ version: Version, olderThan other: Version) -> Bool
}

extension Versioned where Version: Comparable {
    /// Returns a Boolean value that indicates whether a version is less than another one.
    ///
    /// - Parameters:
    ///   - version: The version to compare.
    ///   - other: The version to compare it with.
    @inlinable
    public static func isVersion(_ version: Version, olderThan other: Version) -> Bool {
        version < other
    }
}

extension Versioned {
    /// Returns a Boolean value that indicates whether both versions are present and the first is
    /// less than the second.
    ///
    /// - Parameters:
    ///   - version: The version to compare.
    ///   - other: The version to compare it with.
    @inlinable
    public static func isVersion<Wrapped: Comparable>(
        _ version: Wrapped?,
        olderThan other: Wrapped?
    ) -> Bool where Version == Wrapped? {
        guard let version, let other else { return false }
        return version < other
    }
}
