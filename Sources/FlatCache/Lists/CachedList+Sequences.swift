extension CachedList {
    /// The values of the elements now, and then after each change to the order, to an element, or to
    /// anything that an element refers to.
    ///
    /// See ``values(following:)``.
    public var values: CacheSequence<[Element]> { values() }

    /// Returns the values of the elements now, and then after each change to the order, to an element,
    /// or to what an element refers to.
    ///
    /// A consumer that is slower than the commits gets the newest, never older ones after newer ones.
    ///
    /// - Parameter following: How far the relationships of the elements are followed; with
    ///   ``RelationshipDepth/none`` the order and the elements themselves are.
    /// - Complexity: O(*n*) in the number of elements for each time that the consumer takes them.
    public func values(following: RelationshipDepth = .allRelationships) -> CacheSequence<[Element]>
    {
        feed(following: following).sequence
    }

    /// Every change to the order, to an element, or to anything that an element refers to.
    ///
    /// See ``changes(following:buffering:)``.
    public var changes: CacheSequence<ListChange<Element>> { changes() }

    /// Returns every change to the order, to an element, or to what an element refers to, in commit
    /// order.
    ///
    /// - Parameters:
    ///   - following: How far the relationships of the elements are followed; with ``RelationshipDepth/none``
    ///     the order and the elements themselves are.
    ///   - policy: What is kept for a consumer that is slower than the commits. With `.unbounded` it
    ///     misses none.
    public func changes(
        following: RelationshipDepth = .allRelationships,
        buffering policy: BufferingPolicy = .unbounded
    ) -> CacheSequence<ListChange<Element>> {
        CacheSequence(policy) { [core, name, table] sender in
            CachedList(name: name, core: core, table: table)
                .observeChanges(following: following) { sender.send(.known($0)) }
        }
    }

    /// The elements, as the faces of observation need them.
    package func feed(following: RelationshipDepth) -> Feed<[Element]> {
        Feed { [core, name, table] delivery, receive in
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
