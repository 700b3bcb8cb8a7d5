extension CachedList {
    /// Calls a closure with the values of the elements whenever the order, an element, or anything
    /// that an element refers to changes.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// let observation = bestsellers.observe(initial: true) { books in print(books.map(\.title)) }
    /// bestsellers.append(contentsOf: [Book(id: 4, title: "Kindred")])  // prints all titles
    /// ```
    ///
    /// ## Concurrency
    /// As for ``Cache/observe(_:id:initial:following:delivery:_:)``, the closure is called once per
    /// commit. The values are the latest ones at the time of the call, all from one state. If other
    /// commits have followed by then, each of them still causes a call of its own. Calls that are
    /// due when the cache is deallocated aren't made, since its values no longer exist.
    ///
    /// - Parameters:
    ///   - initial: A Boolean value that indicates whether the closure is also called when the
    ///     observation begins.
    ///   - following: The depth to which the relationships of the elements are followed. With
    ///     ``RelationshipDepth/none``, only the order and the elements themselves are observed.
    ///   - delivery: The delivery of the calls.
    ///   - body: A closure that receives the values of the existing elements, in their order.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: O(*n*) in the number of elements for each call.
    @inlinable
    public func observe(
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable ([Element]) -> Void
    ) -> Disposable {
        core.observe(
            name,
            in: state.table,
            initial: initial ? .always : .never,
            following: following.extendedByOne,
            wantsCauses: false,
            delivery: delivery
        ) { [core, name, table] _ in
            let elements = CachedList(name: name, core: core, table: table).elements
            // A list that was removed with its cache isn't reported as empty.
            if !core.isClosed { body(elements) }
        }
    }

    /// Calls a closure with each change to the order, to an element, or to anything that an element
    /// refers to.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// let observation = bestsellers.observeChanges(following: .none) { change in
    ///     print("removed or moved:", change.difference.removals.count)
    /// }
    /// ```
    ///
    /// The observation reads no elements, so a change to one of many elements costs as much as
    /// notifying an observer of that element alone.
    ///
    /// ## Concurrency
    /// See ``Cache/observeChanges(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - following: The depth to which the relationships of the elements are followed. With
    ///     ``RelationshipDepth/none``, only the order and the elements themselves are observed.
    ///   - delivery: The delivery of the calls.
    ///   - body: A closure that receives each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    @inlinable
    public func observeChanges(
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (ListChange<Element>) -> Void
    ) -> Disposable {
        state.observeChanges(following: following.extendedByOne, delivery: delivery) {
            body(ListChange($0))
        }
    }
}
