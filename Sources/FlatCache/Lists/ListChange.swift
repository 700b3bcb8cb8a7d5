/// What one commit did to an observed list: to its order, to its elements, or to what these refer to.
public struct ListChange<Element: Identifiable & Sendable>: Sendable where Element.ID: Sendable {
    /// The identifiers of the elements, in their order, after the commit.
    public let ids: [Element.ID]
    /// The identifiers of the elements, in their order, before the commit.
    public let oldIDs: [Element.ID]
    /// The keys of the entities that the commit changed and that the list reaches over its
    /// relationships; the list's own, if its order has changed, is not among them.
    public let causes: Set<CacheKey>
    /// The number of the commit.
    public let version: UInt64

    init(_ change: EntityChange<ListState<Element>>) {
        ids = change.new?.ids ?? []
        oldIDs = change.old?.ids ?? []
        causes = change.causes.subtracting([change.key])
        version = change.version
    }

    /// Whether elements have come, gone or moved.
    ///
    /// - Complexity: O(*n*) in the number of elements.
    public var hasNewOrder: Bool { ids != oldIDs }

    /// The identifiers of elements that the commit has inserted into the cache, updated there, made
    /// stale or removed from it.
    ///
    /// Elements that are as they were, but refer to something that has changed, are not among them;
    /// what that is stands in ``causes``.
    ///
    /// - Complexity: O(*n*) in the number of causes and, if there are any of the elements' type, of
    ///   elements.
    public var changedIDs: Set<Element.ID> {
        let changed = Set(
            causes.compactMap { key in
                key.typeIdentifier == ObjectIdentifier(Element.self)
                    ? key.identifier.typed(as: Element.ID.self) : nil
            }
        )
        // An element may refer to others of its type, which are causes without being elements.
        return changed.isEmpty ? [] : changed.intersection(ids)
    }

    /// The removals and insertions that lead from the order before to that after: as few as there can
    /// be.
    ///
    /// For moves as such ask it to infer them: `difference.inferringMoves()`.
    ///
    /// - Complexity: O(*n* log *n*) in the number of elements, however much has changed.
    public var difference: CollectionDifference<Element.ID> {
        OrderDifference(from: oldIDs, to: ids).difference
    }
}
