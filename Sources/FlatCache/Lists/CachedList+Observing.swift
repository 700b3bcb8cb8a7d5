extension CachedList: CacheSource {
    /// A change to the order, to an element, or to anything that an element refers to.
    public typealias Change = ListChange<Element>

    /// The values of the existing elements: ``elements``.
    public var state: [Element] { elements }

    /// Returns a handle whose observations follow the relationships of the elements to a depth.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// let observation = bestsellers.following(.none).observeChanges { change in
    ///     print("removed or moved:", change.difference.removals.count)
    /// }
    /// ```
    ///
    /// With ``RelationshipDepth/none``, they observe only the order and the elements themselves.
    /// Other handles follow all relationships.
    ///
    /// - Parameter depth: The depth. A negative number of levels is a programmer error, and
    ///   observing the handle traps.
    public func following(_ depth: RelationshipDepth) -> CachedList {
        CachedList(
            name: name,
            pinsElements: pinsElements,
            core: core,
            table: table,
            batch: batch,
            following: depth
        )
    }

    /// Calls a closure after each commit that changes the list or anything that an element refers
    /// to.
    @inlinable
    public func _observe(
        initial: Bool,
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StateNotification<[Element]>) -> Void
    ) -> Disposable {
        // The list of a batch shows commits to its observers.
        let list = batch == nil ? self : CachedList(name: name, core: core, table: table)
        return observe(initial: initial ? .always : .never, wantsCauses: false, delivery) { _ in
            receive(
                .latest {
                    let elements = list.elements
                    // A list that was removed with its cache isn't reported as empty.
                    return list.core.isClosed ? nil : elements
                }
            )
        }
    }

    /// Calls a closure with each change to the list or to anything that an element refers to.
    @inlinable
    public func _observeChanges(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (ListChange<Element>) -> Void
    ) -> Disposable {
        observe(initial: .never, wantsCauses: true, delivery) { receive(ListChange($0)) }
    }

    @usableFromInline
    func observe(
        initial: CacheCore.InitialCall,
        wantsCauses: Bool,
        _ delivery: CacheDelivery,
        _ body: @escaping @Sendable (EntityChange<ListState<Element>>) -> Void
    ) -> Disposable {
        core.observe(
            name,
            in: storage.table,
            initial: initial,
            following: depth.extendedByOne,
            wantsCauses: wantsCauses,
            delivery: delivery,
            body
        )
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
