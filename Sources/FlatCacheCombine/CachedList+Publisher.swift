#if canImport(Combine) || OpenCombine

public import FlatCache

extension CachedList {
    /// Publishes the values of the elements now, and then after each change to the order, to an
    /// element, or to anything that an element refers to.
    ///
    /// See ``publisher(following:)``.
    public var publisher: CachedPublisher<[Element]> { publisher() }

    /// Returns a publisher of the values of the elements now, and then after each change to the order,
    /// to an element, or to what an element refers to.
    ///
    /// The values are those that are there, in the list's order, all from one state.
    ///
    /// ## Concurrency
    /// See ``CachedPublisher``.
    ///
    /// - Parameter following: How far the relationships of the elements are followed; with `.none` the
    ///   order and the elements themselves are.
    /// - Complexity: O(*n*) in the number of elements for each time that they are sent.
    public func publisher(
        following: RelationshipDepth = .allRelationships
    ) -> CachedPublisher<[Element]> {
        CachedPublisher(feed(following: following))
    }
}

#endif
