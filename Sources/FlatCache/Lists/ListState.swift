/// A named list of entities, as the cache stores it: a value like any other, which refers to its
/// elements.
///
/// So its observers hear of changes to these, a batch may change both at once, and nothing else in the
/// cache knows of lists.
@usableFromInline
struct ListState<Element: Identifiable & Sendable>: Identifiable, Sendable
where Element.ID: Sendable {
    /// The name of the list.
    @usableFromInline let id: String
    /// The identifiers of the elements, each once.
    @usableFromInline private(set) var ids: [Element.ID]

    /// Whether the elements stay when others of their type are evicted.
    @usableFromInline let pinsElements: Bool

    /// Creates a list of identifiers, each of which keeps the first of its places.
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
