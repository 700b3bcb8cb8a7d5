/// The place of a value among the values of an order.
///
/// Most comparisons compare two numbers. A numeric value needs only its `prefix`, a value of
/// another type also its `rest`. Missing values and NaN come last, in both directions.
@usableFromInline
struct QuerySortKey: Sendable {
    /// A number that is in the order of the values.
    ///
    /// If a value precedes another one, its number isn't greater. Different values can have equal
    /// numbers: all strings have the number zero, for example, and are compared by their `rest`.
    @usableFromInline let prefix: UInt64
    /// The part of the value that the number doesn't contain, and the keys of further orders.
    @usableFromInline let rest: Rest?

    /// The part of a key that its number doesn't contain.
    @usableFromInline
    final class Rest: Sendable {
        @usableFromInline let exact: Exact?
        /// The key of the next order.
        @usableFromInline let next: QuerySortKey?

        @usableFromInline
        init(_ exact: Exact?, next: QuerySortKey?) {
            self.exact = exact
            self.next = next
        }
    }

    /// A value whose number doesn't determine its place.
    @usableFromInline
    enum Exact: Sendable {
        case text(String, isDescending: Bool)
        case other(any ComparableSortKey)
        case notANumber
        case missing
    }

    @inlinable
    init(prefix: UInt64, _ exact: Exact? = nil) {
        self.prefix = prefix
        rest = exact.map { Rest($0, next: nil) }
    }

    /// Creates the key of an order and of the following ones.
    @usableFromInline
    init(_ key: QuerySortKey, then next: QuerySortKey) {
        prefix = key.prefix
        rest = Rest(key.rest?.exact, next: next)
    }

    /// The key of all entities if there is no order.
    @inlinable static var none: QuerySortKey { QuerySortKey(prefix: 0) }

    /// Creates the key of several orders from the keys of each.
    @usableFromInline
    init(_ keys: [QuerySortKey]) {
        var joined = keys.last ?? .none
        for key in keys.dropLast().reversed() { joined = QuerySortKey(key, then: joined) }
        self = joined
    }
}
