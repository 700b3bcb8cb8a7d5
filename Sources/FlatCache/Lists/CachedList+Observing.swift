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
    /// commits have followed by then, each of them still causes a separate call. Calls that are due
    /// when the cache is deallocated aren't made, since its values no longer exist.
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

extension CachedList {
    /// Calls a closure on the calling actor with the values of the elements whenever the order, an
    /// element, or anything that an element refers to changes.
    ///
    /// ```swift
    /// @MainActor
    /// final class BestsellersScreen {
    ///     private var titles: [String] = []
    ///     private var observation: Disposable?
    ///
    ///     init(_ bestsellers: CachedList<Book>) {
    ///         observation = bestsellers.observe(isolation: #isolation) { [weak self] books in
    ///             self?.titles = books.map(\.title)
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// ## Concurrency
    /// See ``Cached/observe(isolation:initial:following:_:)``. The values are the latest ones at
    /// the time of the call.
    ///
    /// - Parameters:
    ///   - actor: The actor to which the caller is isolated: `#isolation`.
    ///   - initial: A Boolean value that indicates whether the closure is also called when the
    ///     observation begins.
    ///   - following: The depth to which the relationships of the elements are followed. With
    ///     ``RelationshipDepth/none``, only the order and the elements themselves are observed.
    ///   - body: A closure that receives the values of the existing elements, in their order.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: O(*n*) in the number of elements for each call.
    public func observe(
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping ([Element]) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        return observe(
            initial: initial,
            following: following,
            delivery: .isolated(toCaller: actor, of: "observe(isolation:…)")
        ) { body($0) }
    }

    /// Calls a closure on the calling actor with each change to the order, to an element, or to
    /// anything that an element refers to.
    ///
    /// ## Concurrency
    /// See ``Cached/observe(isolation:initial:following:_:)``.
    public func observeChanges(
        isolation actor: isolated (any Actor)?,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping (ListChange<Element>) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        return observeChanges(
            following: following,
            delivery: .isolated(toCaller: actor, of: "observeChanges(isolation:…)")
        ) { body($0) }
    }
}

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

/// A change that a commit made to an observed list: to its order, its elements, the entities that
/// these refer to, or the position of the next page.
///
/// ```swift
/// let bestsellers = cache.list("bestsellers", of: Book.self)
/// let observation = bestsellers.observeChanges { change in
///     if change.hasNewOrder { print("new order:", change.ids) }
///     for id in change.changedIDs { print("book \(id) has changed") }
/// }
/// ```
public struct ListChange<Element: Identifiable & Sendable>: Sendable where Element.ID: Sendable {
    /// The identifiers of the elements, in their order, after the commit.
    public let ids: [Element.ID]
    /// The identifiers of the elements, in their order, before the commit.
    public let oldIDs: [Element.ID]
    /// The position of the next page after the commit.
    public let next: NextPage
    /// The position of the next page before the commit.
    public let oldNext: NextPage
    /// The keys of the changed entities that the list reaches over its relationships.
    ///
    /// They don't include the list's own key, even if the order has changed.
    ///
    /// For example, if the author of a listed book has changed, the causes contain the author's
    /// key, but not the book's.
    public let causes: Set<CacheKey>
    /// The number of the commit.
    public let version: UInt64

    // Specialized in the client: each observer receives its own change.
    @inlinable
    init(_ change: EntityChange<ListState<Element>>) {
        (ids, next) = change.new.map { ($0.ids, $0.next) } ?? ([], .unknown)
        (oldIDs, oldNext) = change.old.map { ($0.ids, $0.next) } ?? ([], .unknown)
        var causes = change.causes
        causes.remove(change.key)
        self.causes = causes
        version = change.version
    }

    /// A Boolean value that indicates whether elements were inserted, removed or moved.
    ///
    /// - Complexity: O(*n*) in the number of elements.
    public var hasNewOrder: Bool { ids != oldIDs }

    /// The identifiers of the elements that the commit inserted into the cache, updated, made stale
    /// or removed.
    ///
    /// They don't include elements that haven't changed but refer to changed entities; ``causes``
    /// includes those entities.
    ///
    /// - Complexity: O(*n*) in the number of causes and, if any of them has the elements' type, of
    ///   elements.
    public var changedIDs: Set<Element.ID> {
        let changed = Set(
            causes.compactMap { key in
                key.typeIdentifier == ObjectIdentifier(Element.self)
                    ? key.identifier.typed(as: Element.ID.self) : nil
            }
        )
        // An element may refer to other entities of its type. They are causes but not elements.
        return changed.isEmpty ? [] : changed.intersection(ids)
    }

    /// The smallest set of removals and insertions that turns the old order into the new one.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// let observation = bestsellers.observeChanges { change in
    ///     for step in change.difference {
    ///         switch step {
    ///         case .remove(let row, let id, _): print("remove row \(row), book \(id)")
    ///         case .insert(let row, let id, _): print("insert row \(row), book \(id)")
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// To get moves, infer them from the result: `difference.inferringMoves()`.
    ///
    /// - Complexity: O(*n* log *n*) in the number of elements, regardless of the number of changes.
    public var difference: CollectionDifference<Element.ID> {
        OrderDifference(from: oldIDs, to: ids).difference
    }
}
