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
/// `set`, in all its forms, compares what arrives with what is stored. If what is stored is newer,
/// it stays; if the type is ``Mergeable``, too, the older value may still fill what is missing:
/// then the one that is stored is merged into it, as if they had come in their order. Of two that
/// are equally new the one that arrives later counts as newer. `replace` and `update` don't ask,
/// since they say what is to be stored.
///
/// A value that has been removed, evicted ones included, is compared with nothing. Where only the
/// response knows how new it is, use ``Cache/set(_:modifiedAt:)``.
///
/// ## Concurrency
/// The key path is asked for when a cache first meets the type, on any thread and possibly in the
/// middle of a write. It is read, and versions are compared, by the thread that writes, under the
/// writers' lock: the cache may be read there but not changed.
public protocol Versioned {
    /// What tells how new a value is.
    associatedtype Version: Comparable

    /// Where a value says how new it is: the greater, the newer.
    static var versionKeyPath: KeyPath<Self, Version> { get }
}
