/// A condition of a query on the keys of an index.
protocol AnyIndexCondition<Element>: Sendable {
    associatedtype Element: Identifiable & Sendable where Element.ID: Sendable

    /// Makes the index, unless the cache has made it.
    func prepare(in core: CacheCore, of table: Table<Element>)

    /// Returns the rows of the index that meet the condition, as of a version or of the open
    /// transaction, or `nil` if the index isn't current in that state.
    func candidates(in core: CacheCore, at version: UInt64?) -> IndexCandidates<Element.ID>?

    /// The identity of the index, if a change finds the condition by the keys of its values.
    var route: CacheIndexIdentity? { get }

    /// Returns an empty collection of queries that are found by the keys of the index.
    func makeRoutes() -> any QueryRoutes<Element>
}

/// The condition that an entity has one of several keys, or a key in a range, in an index.
struct IndexCondition<Element: Identifiable & Sendable, Key: Hashable & Sendable>: AnyIndexCondition
where Element.ID: Sendable {
    enum Keys: Sendable {
        case keys(Set<Key>)
        case range(IndexRange<Key>)
    }

    let index: CacheIndex<Element, Key>
    let keys: Keys
    /// A Boolean value that indicates whether the keys are identifiers, for which the table is the
    /// index.
    let isIdentity: Bool

    init(_ index: CacheIndex<Element, Key>, _ keys: Keys, isIdentity: Bool = false) {
        self.index = index
        self.keys = keys
        self.isIdentity = isIdentity
    }

    func holds(for value: Element) -> Bool {
        var holds = false
        index.forEachKey(value) { key in
            switch keys {
            case .keys(let keys): if keys.contains(key) { holds = true }
            case .range(let range): if range.contains(key) { holds = true }
            }
        }
        return holds
    }

    func prepare(in core: CacheCore, of table: Table<Element>) {
        if !isIdentity { core.makeIndex(index, of: table) }
    }

    func candidates(in core: CacheCore, at version: UInt64?) -> IndexCandidates<Element.ID>? {
        if isIdentity, case .keys(let keys) = keys, let ids = keys as? Set<Element.ID> {
            return .identifiers(ids)
        }
        guard let live = core.existingIndex(index) else { return nil }
        let rows = version.map { live.storedRows(in: core, at: $0) } ?? live.writtenRows(in: core)
        guard let rows else { return nil }
        switch keys {
        case .keys(let keys):
            let ranges = keys.map { key in
                let place = QuerySortKey(indexing: key)
                let start = rows.position { QuerySortKey.compare($0.key, place) >= 0 }
                return start..<rows.position { QuerySortKey.compare($0.key, place) > 0 }
            }
            return .rows(rows, ranges)
        case .range(let range):
            return .rows(rows, [range.positions(in: rows)])
        }
    }

    var route: CacheIndexIdentity? {
        guard case .keys = keys else { return nil }
        if isIdentity { return .identifiers(entityType: ObjectIdentifier(Element.self)) }
        return index.identity
    }

    func makeRoutes() -> any QueryRoutes<Element> { IndexRoutes(index) }
}

/// The entities that meet a condition of an index.
enum IndexCandidates<ID: Hashable & Sendable> {
    case rows(QueryRows<ID, NoPayload>, [Range<Int>])
    case identifiers(Set<ID>)

    var count: Int {
        switch self {
        case .rows(_, let ranges): ranges.reduce(0) { $0 + $1.count }
        case .identifiers(let ids): ids.count
        }
    }

    /// The identifiers, each of them once.
    var ids: Set<ID> {
        switch self {
        case .rows(let rows, let ranges):
            var ids = Set<ID>(minimumCapacity: count)
            for range in ranges { rows.forEach(in: range) { ids.insert($0.id) } }
            return ids
        case .identifiers(let ids):
            return ids
        }
    }
}
