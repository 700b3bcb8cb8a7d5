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
    public let causes: Set<CacheKey>
    /// The number of the commit.
    public let version: UInt64

    // Specialized in the client: each observer receives a change of its own.
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
        // An element may refer to other entities of its type, which are causes but not elements.
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
