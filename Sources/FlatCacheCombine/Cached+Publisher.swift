#if canImport(Combine) || OpenCombine

public import FlatCache

extension Cached {
    /// Publishes the value now, and then after each change to the entity or to anything that it refers
    /// to.
    ///
    /// See ``publisher(following:)``.
    public var publisher: CachedPublisher<Value?> { publisher() }

    /// Returns a publisher of the value now, and then after each change to the entity or to what it
    /// refers to.
    ///
    /// `nil` stands for an entity that is not there.
    ///
    /// ## Concurrency
    /// See ``CachedPublisher``.
    ///
    /// - Parameter following: How far the entity's relationships are followed.
    public func publisher(following: RelationshipDepth = .allRelationships) -> CachedPublisher<
        Value?
    > {
        CachedPublisher(feed(following: following))
    }
}

#endif
