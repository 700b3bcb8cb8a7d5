/// A name for one entity, which can be pointed elsewhere: the current user, the open document.
///
/// ```swift
/// extension CachedAlias where Value == Author {
///     static var authorOfTheDay: CachedAlias { CachedAlias("authorOfTheDay") }
/// }
///
/// let observation = cache.observe(.authorOfTheDay) { author in
///     print(author?.name ?? "nobody")
/// }
/// cache.set(Author(id: "le-guin", name: "Ursula K. Le Guin"), as: .authorOfTheDay)
/// cache.point(.authorOfTheDay, to: "lem")
/// cache.set(Author(id: "lem", name: "Stanisław Lem"))
/// ```
///
/// Observers follow the name: they hear when it points elsewhere, and of each change to the entity that
/// it points to.
///
/// The cache stores where an alias points like a value, which refers to the entity: `removeAll()`
/// removes it, and `pruneUnobservedValues()` unless it is observed; while it is, its entity stays,
/// too. In a cache that has a ``CacheLimit`` or an ``CacheExpiration`` for any type, the entity is
/// neither evicted nor removed when it expires while an alias points to it that pins it, as aliases
/// do unless told not to. Two aliases of one name for different types are different aliases.
public struct CachedAlias<Value: Identifiable & Sendable>: Hashable, Sendable
where Value.ID: Sendable {
    /// The name, one for each purpose in a cache.
    public let name: String

    /// Whether an entity is pinned that the alias is pointed to with this.
    ///
    /// Two aliases that differ only in this are equal: the one with which it was last pointed
    /// counts.
    public let pinsTarget: Bool

    /// Creates an alias.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - pinsTarget: Whether an entity that the alias is pointed to with this is not evicted,
    ///     even if there are more than the ``CacheLimit`` of its type allows, nor removed when it
    ///     expires.
    public init(_ name: String, pinsTarget: Bool = true) {
        self.name = name
        self.pinsTarget = pinsTarget
    }

    /// Returns whether two aliases have the same name.
    public static func == (left: CachedAlias, right: CachedAlias) -> Bool {
        left.name == right.name
    }

    /// Feeds the name to a hasher.
    ///
    /// - Parameter hasher: The hasher to feed.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension CachedAlias: CustomStringConvertible {
    /// The name and the type of the entity, such as `CachedAlias "currentUser" for User`.
    public var description: String { "CachedAlias \(String(reflecting: name)) for \(Value.self)" }
}
