/// A name for an entity, such as the current user or the open document, that can be pointed to
/// another entity.
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
/// Observers follow the name. The cache notifies them when the alias points elsewhere, and of each
/// change to the entity that it points to.
///
/// The cache stores an alias like a value that refers to its entity. `removeAll()` removes the
/// alias, and so does `pruneUnobservedValues()` unless the alias is observed. Pruning also keeps
/// the entity of an observed alias. In a cache that has a ``CacheLimit`` or a ``CacheExpiration``
/// for any type, an alias pins its entity unless ``pinsTarget`` is `false`: the entity is neither
/// evicted nor removed when it expires. Two aliases with the same name but different types are
/// different aliases.
public struct CachedAlias<Value: Identifiable & Sendable>: Hashable, Sendable
where Value.ID: Sendable {
    /// The name.
    ///
    /// A cache needs a different name for each purpose.
    public let name: String

    /// A Boolean value that indicates whether pointing the alias to an entity pins the entity.
    ///
    /// For example, pass `false` for an alias whose entity can be loaded again at any time. Two
    /// aliases that differ only in this property are equal. The alias with which the name was last
    /// pointed to an entity determines whether the entity is pinned.
    public let pinsTarget: Bool

    /// Creates an alias.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - pinsTarget: A Boolean value that indicates whether pointing the alias to an entity pins
    ///     the entity. A pinned entity is neither evicted, even if its type exceeds its
    ///     ``CacheLimit``, nor removed when it expires.
    public init(_ name: String, pinsTarget: Bool = true) {
        self.name = name
        self.pinsTarget = pinsTarget
    }

    /// Returns a Boolean value that indicates whether two aliases have the same name.
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
