extension CachedQuery {
    /// A sequence of the elements, now and after each change to them or to their order.
    ///
    /// ```swift
    /// for await books in cache.query(Book.self).sorted(by: \.title).values {
    ///     print(books.map(\.title))
    /// }
    /// ```
    ///
    /// A consumer that is slower than the commits receives the newest elements, and never older
    /// ones after newer ones.
    public var values: CacheSequence<[Element]> { stateSource.sequence }

    /// A sequence of all changes to the elements or to their order, in commit order.
    ///
    /// See ``changes(buffering:)``.
    public var changes: CacheSequence<QueryChange<Element>> { changes() }

    /// Returns a sequence of all changes to the elements or to their order, in commit order.
    ///
    /// ```swift
    /// let newest = cache.query(Book.self).sorted(by: \.year, .descending)
    /// for await change in newest.changes(buffering: .newest(100)) {
    ///     print(change.difference.count)
    /// }
    /// ```
    ///
    /// - Parameter policy: The policy that buffers changes for a consumer that is slower than the
    ///   commits. With `.unbounded`, the consumer misses no change.
    public func changes(
        buffering policy: BufferingPolicy = .unbounded
    ) -> CacheSequence<QueryChange<Element>> {
        CacheSequence(policy) { [self] sender in
            observeChanges { sender.send(.known($0)) }
        }
    }

    /// A source of the elements, on which sequences and publishers are built.
    package var stateSource: StateSource<[Element]> {
        live.stateSource(in: core) { $0.elements(at: 0...) }
    }
}
