extension QuerySortKey {
    /// Returns a negative number, zero or a positive number if the first key comes before, with or
    /// after the second one.
    @inlinable
    static func compare(_ left: QuerySortKey, _ right: QuerySortKey) -> Int {
        if left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
        if left.rest == nil, right.rest == nil { return 0 }
        return compareRests(left, right)
    }

    @usableFromInline
    static func compareRests(_ left: QuerySortKey, _ right: QuerySortKey) -> Int {
        let exact = compare(left.rest?.exact, right.rest?.exact)
        if exact != 0 { return exact }
        guard let next = left.rest?.next, let rightNext = right.rest?.next else { return 0 }
        return compare(next, rightNext)
    }

    /// Compares the keys of the first of several orders.
    @inlinable
    static func compareFirst(_ left: QuerySortKey, _ right: QuerySortKey) -> Int {
        if left.prefix != right.prefix { return left.prefix < right.prefix ? -1 : 1 }
        if left.rest == nil, right.rest == nil { return 0 }
        return compare(left.rest?.exact, right.rest?.exact)
    }

    @usableFromInline
    static func compare(_ left: Exact?, _ right: Exact?) -> Int {
        switch (left, right) {
        case (.text(let left, let isDescending), .text(let right, _)):
            if left == right { return 0 }
            return (left < right) != isDescending ? -1 : 1
        case (.other(let left), .other(let right)):
            return left.compare(to: right)
        default:
            return left.place - right.place
        }
    }
}

extension QuerySortKey.Exact? {
    /// The place among values whose numbers are equal.
    fileprivate var place: Int {
        switch self {
        case nil, .text, .other: 0
        case .notANumber: 1
        case .missing: 2
        }
    }
}
