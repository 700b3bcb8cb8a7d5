/// The stored state of a named list: a value that refers to the elements of the list.
///
/// The cache treats it like any other value. Observers of the list are therefore notified of
/// changes to its elements, a batch can change both in one commit, and no other part of the cache
/// depends on lists.
@usableFromInline
struct ListState<Element: Identifiable & Sendable>: Identifiable, Sendable
where Element.ID: Sendable {
    /// The name of the list.
    @usableFromInline let id: String
    /// The identifiers of the elements, without duplicates.
    @usableFromInline private(set) var ids: [Element.ID]

    /// A Boolean value that indicates whether the list pins its elements.
    @usableFromInline let pinsElements: Bool

    /// Creates a list of identifiers, in which a repeated identifier keeps its first position.
    @inlinable
    init(id: String, ids: [Element.ID], pinsElements: Bool) {
        self.id = id
        self.pinsElements = pinsElements
        var seen = Set<Element.ID>(minimumCapacity: ids.count)
        let hasRepetitions = ids.contains { !seen.insert($0).inserted }
        if hasRepetitions {
            seen.removeAll(keepingCapacity: true)
            self.ids = ids.filter { seen.insert($0).inserted }
        } else {
            self.ids = ids
        }
    }
}

extension ListState: Equatable {
    @inlinable
    static func == (left: ListState, right: ListState) -> Bool {
        left.id == right.id && left.ids == right.ids && left.pinsElements == right.pinsElements
    }
}

extension ListState: HasCachedRelationships {
    @usableFromInline var relatedCacheKeys: Set<CacheKey> {
        Set(ids.lazy.map { CacheKey(Element.self, id: $0) })
    }
}

extension ListState: PinsEntities {
    @usableFromInline var pinnedCacheKeys: Set<CacheKey> { pinsElements ? relatedCacheKeys : [] }
}
