#if canImport(Combine) || OpenCombine

public import FlatCache

// Inlinable, so that tables of the client's types are created, and thus specialized, in the
// client's module.

extension Cache {
    /// Returns a publisher of the value of an entity, now and after each change to the entity or to
    /// anything that it refers to.
    ///
    /// ```swift
    /// let titles = cache.publisher(for: Book.self, id: 1).map { $0?.title ?? "removed" }
    /// let subscription = titles.sink { print($0) }
    /// cache.update(Book.self, id: 1) { $0.title = "Tehanu" }  // prints Tehanu
    /// ```
    ///
    /// The output is `nil` while the entity has no value.
    ///
    /// ## Concurrency
    /// See ``CachedPublisher``.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    ///   - following: The depth to which the entity's relationships are followed.
    @inlinable
    public func publisher<Value: Identifiable & Sendable>(
        for type: Value.Type,
        id: Value.ID,
        following: RelationshipDepth = .allRelationships
    ) -> CachedPublisher<Value?> where Value.ID: Sendable {
        cached(type, id: id).publisher(following: following)
    }

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
