/// A range of keys of an index.
struct IndexRange<Key: Sendable>: Sendable {
    private let lower: QuerySortKey?
    private let upper: QuerySortKey?
    private let includesUpper: Bool
    let contains: @Sendable (Key) -> Bool

    init<Bounds: RangeExpression<Key> & Sendable>(_ range: Bounds) where Key: Comparable {
        // The default `<=` is true for a key that doesn't equal itself, which is in no range.
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

    /// Returns the positions of the rows in the range.
    func positions<ID>(in rows: QueryRows<ID, NoPayload>) -> Range<Int> {
        let start = lower.map { lower in
            rows.position { QuerySortKey.compare($0.key, lower) >= 0 }
        }
        let end = upper.map { upper in
            rows.position {
                let order = QuerySortKey.compare($0.key, upper)
                return includesUpper ? order > 0 : order >= 0
            }
        }
        let first = start ?? 0
        return first..<max(first, end ?? rows.count)
    }
}
