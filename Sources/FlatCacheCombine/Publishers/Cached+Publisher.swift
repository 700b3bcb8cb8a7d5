#if canImport(Combine) || OpenCombine

public import FlatCache

extension Cached {
    /// A publisher of the value, now and after each change to the entity or to anything that it
    /// refers to.
    ///
    /// See ``publisher(following:)``.
    public var publisher: CachedPublisher<Value?> { publisher() }

    /// Returns a publisher of the value, now and after each change to the entity or to anything
    /// that it refers to.
    ///
    /// ```swift
    /// let title = cache.cached(Book.self, id: 1).publisher(following: .none)
    ///     .compactMap { $0?.title }
    ///     .sink { print($0) }
    /// ```
    ///
    /// The output is `nil` while the entity has no value.
    ///
    /// ## Concurrency
    /// See ``CachedPublisher``.
    ///
    /// - Parameter following: The depth to which the entity's relationships are followed.
    public func publisher(following: RelationshipDepth = .allRelationships) -> CachedPublisher<
        Value?
    > {
        CachedPublisher(stateSource(following: following))
    }

    /// A publisher of the progress of a loading handle, now and after each change.
    ///
    /// ```swift
    /// let progress = cache.cached(Book.self, id: 1).loading().loadStatePublisher
    ///     .sink { print($0.isLoading ? "Loading …" : "") }
    /// ```
    ///
    /// A subscription to it alone loads nothing. See ``CachedPublisher`` and `loadState`.
    public var loadStatePublisher: CachedPublisher<LoadState> { CachedPublisher(loadStateSource) }
}

#endif
