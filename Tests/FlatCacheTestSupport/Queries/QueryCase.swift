@testable import FlatCache

/// A random query of books, with a naive definition of its result.
struct QueryCase: Sendable, CustomStringConvertible {
    /// A condition in the words of a query and of a naive filter.
    struct Condition: Sendable {
        let name: String
        let narrow: @Sendable (CachedQuery<Book>) -> CachedQuery<Book>
        let holds: @Sendable (Book, any ReadableCache) -> Bool
        /// A Boolean value that indicates whether the condition reads referring books, which a
        /// closure of a query can't do without the index.
        var readsReferring = false
    }

    /// An order in the words of a query and of a naive sort.
    struct Order: Sendable {
        let name: String
        let sort: @Sendable (CachedQuery<Book>, SortDirection) -> CachedQuery<Book>
        let key: @Sendable (Book, any ReadableCache) -> NaiveKey
    }

    var conditions: [Condition] = []
    var orders: [(order: Order, direction: SortDirection)] = []
    var offset = 0
    var limit: Int?
    /// A Boolean value that indicates whether the query shares its result with equal ones.
    var isShared = false
    var pinsElements = false

    var description: String {
        let parts =
            conditions.map(\.name) + orders.map { "by \($0.order.name) \($0.direction)" }
            + ["offset \(offset)", "limit \(limit.map(String.init) ?? "-")"]
            + (isShared ? ["shared"] : []) + (pinsElements ? ["pinning"] : [])
        return parts.joined(separator: ", ")
    }

    func query(of cache: Cache) -> CachedQuery<Book> {
        isShared
            ? narrowing(
                cache.query(Book.self, sharingKey: description, pinsElements: pinsElements)
            ) : unsharedQuery(of: cache)
    }

    func unsharedQuery(of cache: Cache) -> CachedQuery<Book> {
        narrowing(cache.query(Book.self, pinsElements: pinsElements))
    }

    /// Returns a query with the conditions, the orders and the window.
    func narrowing(_ query: CachedQuery<Book>) -> CachedQuery<Book> {
        var query = query
        for condition in conditions { query = condition.narrow(query) }
        for (order, direction) in orders { query = order.sort(query, direction) }
        if offset > 0 { query = query.offset(offset) }
        if let limit { query = query.limit(limit) }
        return query
    }

    /// Returns the query without its indexes.
    func scanningQuery(of cache: Cache) -> CachedQuery<Book> {
        var unconditional = self
        unconditional.conditions = []
        return conditions.reduce(unconditional.unsharedQuery(of: cache)) { query, condition in
            if condition.readsReferring { return condition.narrow(query) }
            return query.where { book, cache in condition.holds(book, cache) }
        }
    }

    /// Returns the result by a filter and a sort of all values.
    func expected(in cache: some ReadableCache) -> [Book] {
        let found = cache.values(of: Book.self)
            .filter { book in conditions.allSatisfy { $0.holds(book, cache) } }
            .map { book in (keys: orders.map { $0.order.key(book, cache) }, book: book) }
            .sorted { left, right in
                for (index, order) in orders.enumerated() {
                    let result = left.keys[index].compare(right.keys[index], order.direction)
                    if result != 0 { return result < 0 }
                }
                return left.book.id < right.book.id
            }
        return Array(found.map(\.book).dropFirst(offset).prefix(limit ?? .max))
    }
}

/// A sort key of a naive sort.
enum NaiveKey {
    case number(Double?)
    case text(String?)

    func compare(_ other: NaiveKey, _ direction: SortDirection) -> Int {
        switch (self, other) {
        case (.number(let left), .number(let right)):
            Self.compare(left, right, direction) { $0.isNaN }
        case (.text(let left), .text(let right)):
            Self.compare(left, right, direction) { _ in false }
        default:
            0
        }
    }

    private static func compare<Value: Comparable>(
        _ left: Value?,
        _ right: Value?,
        _ direction: SortDirection,
        isLast: (Value) -> Bool
    ) -> Int {
        func place(_ value: Value?) -> Int { value.map { isLast($0) ? 1 : 0 } ?? 2 }
        if place(left) != place(right) { return place(left) - place(right) }
        guard place(left) == 0, let left, let right, left != right else { return 0 }
        return (left < right) == (direction == .ascending) ? -1 : 1
    }
}
