/// A value that can be merged with a newer, possibly partial value of the same entity.
///
/// Different endpoints often return different parts of one entity: a list contains titles, a detail
/// page contains the rest. When a `Mergeable` value is set for an entity that has a value, the
/// cache merges the two, so that no known property is lost:
///
/// ```swift
/// struct Book: Identifiable, Sendable, Mergeable {
///     let id: Int
///     var title: String
///     var year: Int?
///
///     func merged(with other: Book) -> Book {
///         Book(id: id, title: other.title, year: other.year ?? year)
///     }
/// }
/// ```
///
/// The cache uses the conformance on the writing thread, so it can't be isolated to an actor: the
/// compiler rejects a `@MainActor` conformance. In a module that is isolated to the main actor by
/// default, adopt ``CacheEntity``, `Mergeable` or ``HasCachedRelationships`` in the model's own
/// declaration. The type is then nonisolated, and so are its conformances in extensions: see
/// <doc:Concurrency#In-a-module-isolated-to-the-main-actor>.
///
/// The macro `@Mergeable` of the trait `Macros` writes the method.
///
/// The cache finds the conformance at run time, once per type. It also merges values that it
/// receives through a handle, in a batch, or from a generic function that knows them only as
/// `Identifiable`.
public protocol Mergeable: Sendable {
    /// Returns the combination of this value and a newer value.
    ///
    /// The result must have the identifier of this value.
    ///
    /// ## Concurrency
    /// The cache calls this method on the writing thread, under the writers' lock. Inside the
    /// method, reading the cache is allowed and shows the state before the write. Writing,
    /// observing, pinning and pruning are programmer errors and trap.
    ///
    /// - Parameter other: The newer value, usually the incoming one.
    func merged(with other: Self) -> Self
}

extension Mergeable {
    /// Merges a newer value into this value.
    ///
    /// ```swift
    /// var known = Book(id: 1, title: "Tehanu", year: 1990)
    /// known.merge(with: Book(id: 1, title: "Tehanu: The Last Book of Earthsea"))
    /// print(known.year ?? 0)  // 1990
    /// ```
    ///
    /// - Parameter other: The newer value.
    public mutating func merge(with other: Self) {
        self = merged(with: other)
    }
}

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
/// newer, the cache keeps it. If the type is also ``Mergeable``, the older value can still fill in
/// missing properties: the cache then merges the stored value into it, as if the two had arrived in
/// order. If both are equally new, the incoming value counts as the newer one. `replace` and
/// `update` don't compare versions.
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
/// response knows how new a value is, use ``CacheType/set(_:modifiedAt:)``.
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
    /// For example, version 3 is older than version 5, but an absent version isn't older than
    /// either.
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
