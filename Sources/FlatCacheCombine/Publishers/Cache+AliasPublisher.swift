#if canImport(Combine) || OpenCombine

public import FlatCache

// Inlinable, so that a table of the client's type is created, and thus specialized, in the client's
// module.

extension Cache {
    /// Returns a publisher of the value of the entity that an alias points to, now and after each
    /// change of the alias, the entity, or anything that the entity refers to.
    ///
    /// ```swift
    /// let selected = CachedAlias<Book>("selected")
    /// let subscription = cache.publisher(for: selected).sink { print($0?.title ?? "none") }
    /// cache.point(selected, to: 1)
    /// ```
    ///
    /// The output is `nil` while the alias points nowhere or the entity has no value.
    ///
    /// ## Concurrency
    /// See ``CachedPublisher``.
    ///
    /// - Parameters:
    ///   - alias: The alias. It may point nowhere yet.
    ///   - following: The depth to which the relationships of the entity are followed.
    @inlinable
    public func publisher<Value: Identifiable & Sendable>(
        for alias: CachedAlias<Value>,
        following: RelationshipDepth = .allRelationships
    ) -> CachedPublisher<Value?> where Value.ID: Sendable {
        CachedPublisher(stateSource(of: alias, following: following))
    }
}

#endif
