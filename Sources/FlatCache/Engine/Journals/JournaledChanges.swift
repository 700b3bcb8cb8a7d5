/// The changes to the entities of a type that a journal has collected.
///
/// The changes lead from one state of the participant's storage to another, in any order: first
/// removals and invalidations, then the stored values, as the snapshot of the changes shows them.
///
/// The lists grow in chunks, so a write takes the same time for any number of listed entities.
@usableFromInline
package struct JournaledChanges<ID: Hashable & Sendable>: Sendable {
    /// The identifiers of the entities whose values, freshness or stamps have changed.
    ///
    /// An entity that was removed after the change is listed, but has no value in the snapshot.
    @usableFromInline package var stored = ChunkedArray<ID>()
    /// The identifiers of the entities that memory lacked when a write merged a value into them.
    ///
    /// The storage may hold parts that memory doesn't, or a newer value. The parts of an entity for
    /// which `isOverwritten(_:)` returns `true` are obsolete.
    @usableFromInline package var inserted = ChunkedArray<ID>()
    /// The identifiers of the entities whose stored parts are obsolete, since a value replaced
    /// them.
    @usableFromInline package var overwritten = ChunkedSet<ID>()
    /// The identifiers of the entities that were removed explicitly.
    @usableFromInline package var removed = ChunkedSet<ID>()
    /// A Boolean value that indicates whether all entities of the type were removed explicitly.
    @usableFromInline package var removesAll = false
    /// The identifiers of the invalidated entities whose values weren't listed.
    @usableFromInline package var invalidated = ChunkedSet<ID>()
    /// A Boolean value that indicates whether the whole type was invalidated.
    @usableFromInline package var invalidatesAll = false
    /// The prefixes of the names of invalidated requests, in the journal of requests.
    @usableFromInline package var invalidatedPrefixes: [String] = []
    /// The modification stamps of the stored entities that have one, as of the snapshot.
    @usableFromInline package var stamps: [ID: any Comparable & Sendable] = [:]
    /// The time of the first change, or `nil` if there is none.
    @usableFromInline var firstTime: Time?
    /// The time since the first change, as of the snapshot.
    @usableFromInline package var age: Duration = .zero

    @usableFromInline
    package init() {}

    /// A Boolean value that indicates whether nothing has changed.
    package var isEmpty: Bool { count == 0 }

    /// The number of stored entities, removals and invalidations.
    var count: Int {
        stored.count + removed.count + (removesAll ? 1 : 0) + invalidated.count
            + (invalidatesAll ? 1 : 0) + invalidatedPrefixes.count
    }

    /// A Boolean value that indicates whether the changes make stored rows obsolete or stale.
    var concernsRows: Bool {
        removesAll || invalidatesAll || !removed.isEmpty || !overwritten.isEmpty
            || !invalidated.isEmpty || !invalidatedPrefixes.isEmpty
    }

    /// Returns whether the storage's parts of an entity are obsolete.
    package func isOverwritten(_ id: ID) -> Bool {
        removesAll || overwritten.contains(id) || removed.contains(id)
    }

    /// Returns whether an entity was removed explicitly, even if it was stored again.
    func isRemoved(_ id: ID) -> Bool { removesAll || removed.contains(id) }

    /// Returns whether an entity that memory doesn't hold was invalidated.
    func isInvalidated(_ id: ID) -> Bool {
        if invalidatesAll || invalidated.contains(id) { return true }
        guard !invalidatedPrefixes.isEmpty, let name = id as? String else { return false }
        return invalidatedPrefixes.contains { name.hasPrefix($0) }
    }

    /// Adds later changes.
    ///
    /// The listed entities keep their order, and the later ones follow. An entity that both lists
    /// contain appears once in `stored`.
    ///
    /// - Parameters:
    ///   - later: The later changes.
    ///   - isListed: A closure that returns whether `stored` contains a later entity already.
    /// - Complexity: O(*n*) in the number of later changes, unless a copy of these changes exists.
    mutating func append(_ later: JournaledChanges, isListed: (ID) -> Bool) {
        firstTime = firstTime ?? later.firstTime
        for id in later.stored where !isListed(id) { stored.append(id) }
        for id in later.inserted { inserted.append(id) }
        overwritten.formUnion(later.overwritten)
        removed.formUnion(later.removed)
        removesAll = removesAll || later.removesAll
        invalidated.formUnion(later.invalidated)
        invalidatesAll = invalidatesAll || later.invalidatesAll
        invalidatedPrefixes += later.invalidatedPrefixes
    }
}
