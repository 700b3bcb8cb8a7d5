#if canImport(Combine) || OpenCombine

public import FlatCache

// Inlinable, so that the tables of the client's types are created, and so specialised, in its module.

extension Cache {
    /// Returns a publisher of the value of an entity now, and then after each change to the entity or
    /// to what it refers to.
    ///
    /// `nil` stands for an entity that is not there.
    ///
    /// ## Concurrency
    /// See ``CachedPublisher``.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    ///   - following: How far the entity's relationships are followed.
    @inlinable
    public func publisher<Value: Identifiable & Sendable>(
        for type: Value.Type,
        id: Value.ID,
        following: RelationshipDepth = .allRelationships
    ) -> CachedPublisher<Value?> where Value.ID: Sendable {
        cached(type, id: id).publisher(following: following)
    }

    /// Returns a publisher of the value of the entity that an alias points to now, and then after each
    /// change of where it points, of the entity, or of what that refers to.
    ///
    /// `nil` stands for an alias that points nowhere, or to what is not there.
    ///
    /// ## Concurrency
    /// See ``CachedPublisher``.
    ///
    /// - Parameters:
    ///   - alias: The alias, which may point nowhere yet.
    ///   - following: How far the relationships of the entity are followed.
    @inlinable
    public func publisher<Value: Identifiable & Sendable>(
        for alias: CachedAlias<Value>,
        following: RelationshipDepth = .allRelationships
    ) -> CachedPublisher<Value?> where Value.ID: Sendable {
        CachedPublisher(feed(of: alias, following: following))
    }
}

#endif
