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
/// removes it, and `pruneUnobservedValues()` unless it is observed; while it is, its entity stays, too.
/// Two aliases of one name for different types are different aliases.
public struct CachedAlias<Value: Identifiable & Sendable>: Hashable, Sendable
where Value.ID: Sendable {
    /// The name, one for each purpose in a cache.
    public let name: String

    /// Creates an alias.
    ///
    /// - Parameter name: The name.
    public init(_ name: String) {
        self.name = name
    }
}

extension CachedAlias: CustomStringConvertible {
    /// The name and the type of the entity, such as `CachedAlias "currentUser" for User`.
    public var description: String { "CachedAlias \(String(reflecting: name)) for \(Value.self)" }
}
