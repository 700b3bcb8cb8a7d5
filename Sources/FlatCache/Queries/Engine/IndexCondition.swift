/// A condition of a query on the keys of an index.
protocol AnyIndexCondition<Element>: Sendable {
    associatedtype Element: Identifiable & Sendable where Element.ID: Sendable

    /// Makes the index, unless the cache has made it.
    func prepare(in core: CacheCore, of table: Table<Element>)

    /// Returns the rows of the index that meet the condition, as of a version or of the open
    /// transaction, or `nil` if the index isn't current in that state.
    func candidates(in core: CacheCore, at version: UInt64?) -> IndexCandidates<Element.ID>?

    /// The identity of the index by whose keys a commit finds the queries with this condition, or
    /// `nil` if each change has to be compared with the condition.
    ///
    /// A condition on keys has a route, a condition on a range has none.
    var route: CacheIndexIdentity? { get }

    /// Returns an empty collection of queries for a commit to search by keys of the index.
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
    /// `true` if the keys are identifiers, for which the table is the index.
    var isIdentity = false

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
            return IndexCandidates(count: ids.count) { Array(ids) }
        }
        guard let rows = core.rows(of: index, at: version) else { return nil }
        switch keys {
        case .keys(let keys):
            let ranges = keys.map { rows.positions(ofKey: QuerySortKey(indexing: $0)) }
            let count = ranges.reduce(0) { $0 + $1.count }
            // An entity has one row for each of its keys.
            return IndexCandidates(count: count) {
                rows.ids(in: ranges, areDistinct: ranges.count == 1)
            }
        case .range(let range):
            let range = range.positions(in: rows)
            return IndexCandidates(count: range.count) { rows.ids(in: [range], areDistinct: false) }
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
struct IndexCandidates<ID: Hashable & Sendable> {
    /// The number of rows of the index that meet the condition.
    let count: Int
    /// Returns the identifiers of the entities, each of them once.
    let ids: () -> [ID]
}

struct IndexRange<Key: Sendable>: Sendable {
    private let lower: QuerySortKey?
    private let upper: QuerySortKey?
    private let includesUpper: Bool
    let contains: @Sendable (Key) -> Bool

    init<Bounds: RangeExpression<Key> & Sendable>(_ range: Bounds) where Key: Comparable {
        // The default `<=` is true for a key that doesn't equal itself. Such a key is in no range.
        contains = { $0 == $0 && range.contains($0) }
        switch range {
        case let range as Range<Key>:
            (lower, upper) = (QuerySortKey(range.lowerBound), QuerySortKey(range.upperBound))
            includesUpper = false
        case let range as ClosedRange<Key>:
            (lower, upper) = (QuerySortKey(range.lowerBound), QuerySortKey(range.upperBound))
            includesUpper = true
        case let range as PartialRangeFrom<Key>:
            (lower, upper) = (QuerySortKey(range.lowerBound), nil)
            includesUpper = true
        case let range as PartialRangeThrough<Key>:
            (lower, upper) = (nil, QuerySortKey(range.upperBound))
            includesUpper = true
        case let range as PartialRangeUpTo<Key>:
            (lower, upper) = (nil, QuerySortKey(range.upperBound))
            includesUpper = false
        default:
            // A range of another type: the query compares all keys.
            (lower, upper) = (nil, nil)
            includesUpper = true
        }
    }

    func positions<ID>(in rows: QueryRows<ID, NoPayload>) -> Range<Int> {
        let start = lower.map { lower in
            rows.position { QuerySortKey.compare($0, lower) >= 0 }
        }
        let end = upper.map { upper in
            rows.position {
                let order = QuerySortKey.compare($0, upper)
                return includesUpper ? order > 0 : order >= 0
            }
        }
        let first = start ?? 0
        return first..<max(first, end ?? rows.count)
    }
}
