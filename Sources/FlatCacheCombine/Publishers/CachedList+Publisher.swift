#if canImport(Combine) || OpenCombine

public import FlatCache

extension CachedList {
    /// A publisher of the values of the elements, now and after each change to the order, to an
    /// element, or to anything that an element refers to.
    ///
    /// See ``publisher(following:)``.
    public var publisher: CachedPublisher<[Element]> { publisher() }

    /// Returns a publisher of the values of the elements, now and after each change to the order,
    /// to an element, or to anything that an element refers to.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self).publisher(following: .none)
    ///     .sink { books in print(books.map(\.title)) }
    /// ```
    ///
    /// Each output consists of the values of the existing elements, in the list's order, all from
    /// one state.
    ///
    /// ## Concurrency
    /// See ``CachedPublisher``.
    ///
    /// - Parameter following: The depth to which the relationships of the elements are followed.
    ///   With `.none`, only the order and the elements themselves are observed.
    /// - Complexity: O(*n*) in the number of elements for each output.
    public func publisher(
        following: RelationshipDepth = .allRelationships
    ) -> CachedPublisher<[Element]> {
        CachedPublisher(stateSource(following: following))
    }
}

#endif
