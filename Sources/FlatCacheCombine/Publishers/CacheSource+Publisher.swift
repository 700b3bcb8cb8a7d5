#if canImport(Combine) || OpenCombine

public import FlatCache

extension CacheSource {
    /// A publisher of the states: the present one, and one after each commit that changes it.
    ///
    /// ```swift
    /// let titles = cache.cached(Book.self, id: 1).publisher.map { $0?.title ?? "removed" }
    /// let subscription = titles.sink { print($0) }
    /// cache.update(Book.self, id: 1) { $0.title = "Tehanu" }  // prints Tehanu
    /// ```
    ///
    /// The output of an entity is `nil` while the entity has no value. To follow its relationships
    /// less far, see `following(_:)`. A query or a projection is kept current for as long as there
    /// is a subscriber, and a loading handle loads for as long. A subscription to `loadStates`
    /// alone loads nothing:
    ///
    /// ```swift
    /// let progress = cache.cached(Book.self, id: 1).loading().loadStates.publisher
    ///     .sink { print($0.isLoading ? "Loading …" : "") }
    /// ```
    ///
    /// ## Concurrency
    /// See ``CachedPublisher``.
    ///
    /// - Complexity: O(*n*) in the number of elements or rows for each output.
    public var publisher: CachedPublisher<State> {
        CachedPublisher { [self] in _observe(initial: true, delivery: .inline, $0) }
    }
}

#endif
