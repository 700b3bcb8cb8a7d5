extension CachedList {
    /// A sequence of the values of the elements, now and after each change to the order, to an
    /// element, or to anything that an element refers to.
    ///
    /// See ``values(following:)``.
    public var values: CacheSequence<[Element]> { values() }

    /// Returns a sequence of the values of the elements, now and after each change to the order, to
    /// an element, or to anything that an element refers to.
    ///
    /// ```swift
    /// for await books in cache.list("bestsellers", of: Book.self).values(following: .none) {
    ///     print(books.map(\.title))
    /// }
    /// ```
    ///
    /// A consumer that is slower than the commits receives the newest values, and never older
    /// values after newer ones.
    ///
    /// - Parameter following: The depth to which the relationships of the elements are followed.
    ///   With ``RelationshipDepth/none``, only the order and the elements themselves are observed.
    /// - Complexity: O(*n*) in the number of elements for each output that the consumer takes.
    public func values(following: RelationshipDepth = .allRelationships) -> CacheSequence<[Element]>
    {
        stateSource(following: following).sequence
    }

    /// A sequence of all changes to the order, to an element, or to anything that an element refers
    /// to.
    ///
    /// See ``changes(following:buffering:)``.
    public var changes: CacheSequence<ListChange<Element>> { changes() }

    /// Returns a sequence of all changes to the order, to an element, or to anything that an
    /// element refers to, in commit order.
    ///
    /// ```swift
    /// for await change in cache.list("bestsellers", of: Book.self).changes() {
    ///     print(change.oldIDs, "->", change.ids)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - following: The depth to which the relationships of the elements are followed. With
    ///     ``RelationshipDepth/none``, only the order and the elements themselves are observed.
    ///   - policy: The policy that buffers changes for a consumer that is slower than the commits.
    ///     With `.unbounded`, the consumer misses no change.
    public func changes(
        following: RelationshipDepth = .allRelationships,
        buffering policy: BufferingPolicy = .unbounded
    ) -> CacheSequence<ListChange<Element>> {
        CacheSequence(policy) { [core, name, table] sender in
            CachedList(name: name, core: core, table: table)
                .observeChanges(following: following) { sender.send(.known($0)) }
        }
    }

    /// Returns a source of the elements, on which sequences and publishers are built.
    package func stateSource(following: RelationshipDepth) -> StateSource<[Element]> {
        StateSource { [core, name, table] delivery, receive in
            let list = CachedList(name: name, core: core, table: table)
            return core.observe(
                name,
                in: list.state.table,
                initial: .always,
                following: following.extendedByOne,
                wantsCauses: false,
                delivery: delivery
            ) { _ in
                receive(
                    .latest {
                        let elements = list.elements
                        return core.isClosed ? nil : elements
                    }
                )
            }
        }
    }
}
