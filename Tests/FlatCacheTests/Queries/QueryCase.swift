@testable import FlatCache

/// A random query of books, with a naive definition of its result.
struct QueryCase: Sendable, CustomStringConvertible {
    /// A condition in the words of a query and of a naive filter.
    struct Condition: Sendable {
        let name: String
        let narrow: @Sendable (CachedQuery<Book>) -> CachedQuery<Book>
        let holds: @Sendable (Book, any ReadableCache) -> Bool
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

    var description: String {
        let parts =
            conditions.map(\.name) + orders.map { "by \($0.order.name) \($0.direction)" }
            + ["offset \(offset)", "limit \(limit.map(String.init) ?? "-")"]
        return parts.joined(separator: ", ")
    }

    func query(of cache: Cache) -> CachedQuery<Book> { narrowing(cache.query(Book.self)) }

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
        return conditions.reduce(unconditional.query(of: cache)) { query, condition in
            query.where { book, cache in condition.holds(book, cache) }
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

extension QueryCase {
    static let allConditions = [
        Condition(
            name: "year is even",
            narrow: { $0.where { ($0.year ?? 1).isMultiple(of: 2) } },
            holds: { book, _ in (book.year ?? 1).isMultiple(of: 2) }
        ),
        Condition(
            name: "author is 1, by index",
            narrow: { $0.where(Book.byAuthor, equals: Related("1")) },
            holds: { book, _ in book.author?.id == "1" }
        ),
        Condition(
            name: "year in 3..<7, by index",
            narrow: { $0.where(Book.byYear, in: 3..<7) },
            holds: { book, _ in book.year.map { (3..<7).contains($0) } ?? false }
        ),
        Condition(
            name: "title from b, by index",
            narrow: { $0.where(Book.byTitle, in: "b"...) },
            holds: { book, _ in book.title.map { $0 >= "b" } ?? false }
        ),
        Condition(
            name: "year is divisible by 2 or 3, by index",
            narrow: { $0.where(Book.byDivisors, in: [2, 3]) },
            holds: { book, _ in
                book.year.map { $0.isMultiple(of: 2) || $0.isMultiple(of: 3) } ?? false
            }
        ),
        Condition(
            name: "has a title",
            narrow: { $0.where { $0.title != nil } },
            holds: { book, _ in book.title != nil }
        ),
        Condition(
            name: "author is called A or B",
            narrow: { query in
                query.where { book, cache in
                    ["A", "B"].contains(book.author.flatMap { $0.value(in: cache) }?.name)
                }
            },
            holds: { book, cache in
                guard let author = book.author else { return false }
                return ["A", "B"].contains(cache.get(Author.self, id: author.id)?.name)
            }
        ),
        Condition(
            name: "is newer than the featured book",
            narrow: { query in
                query.where { ($0.year ?? 0) > ($1.get(.featured as CachedAlias<Book>)?.year ?? 3) }
            },
            holds: { book, cache in
                let alias = CachedAlias<Book>.featured
                let featured = cache.get(AliasState<Book>.self, id: alias.name)?.target
                let year = featured.flatMap { cache.get(Book.self, id: $0)?.year }
                return (book.year ?? 0) > (year ?? 3)
            }
        ),
        Condition(
            name: "sequel has no title",
            narrow: { query in
                query.where { book, cache in
                    guard let sequel = book.sequel else { return true }
                    return cache[sequel]?.title == nil
                }
            },
            holds: { book, cache in
                guard let sequel = book.sequel else { return true }
                return cache.get(Book.self, id: sequel.id)?.title == nil
            }
        ),
    ]

    static let allOrders = [
        Order(
            name: "year",
            sort: { $0.then(by: \.year, $1) },
            key: { book, _ in .number(book.year.map(Double.init)) }
        ),
        Order(
            name: "title",
            sort: { $0.then(by: \.title, $1) },
            key: { book, _ in .text(book.title) }
        ),
        Order(
            name: "number",
            sort: { $0.then(by: \.fraction, $1) },
            key: { book, _ in .number(book.fraction) }
        ),
        Order(
            name: "name of the author",
            sort: { query, direction in
                query.then(
                    by: { book, cache in book.author.flatMap { cache[$0] }?.name },
                    direction
                )
            },
            key: { book, cache in
                .text(book.author.flatMap { cache.get(Author.self, id: $0.id) }?.name)
            }
        ),
    ]

    init(using generator: inout SplitMix64) {
        for condition in Self.allConditions where Int.random(in: 0..<5, using: &generator) == 0 {
            conditions.append(condition)
        }
        for order in Self.allOrders.shuffled(using: &generator).prefix(
            Int.random(in: 0...2, using: &generator)
        ) {
            orders.append((order, Bool.random(using: &generator) ? .ascending : .descending))
        }
        if Int.random(in: 0..<3, using: &generator) == 0 {
            limit = Int.random(in: 0...6, using: &generator)
        }
        if Int.random(in: 0..<4, using: &generator) == 0 {
            offset = Int.random(in: 0...3, using: &generator)
        }
    }
}

extension Book {
    static let byAuthor = CacheIndex("author", \Book.author)
    static let byYear = CacheIndex("year", \Book.year)
    static let byTitle = CacheIndex("title", \Book.title)
    static let byDivisors = CacheIndex("divisors", each: \Book.divisors)

    /// The small divisors of the year, some of them twice.
    var divisors: [Int] {
        guard let year else { return [] }
        return [2, 3, 3, 5, 2].filter { year.isMultiple(of: $0) }
    }

    /// A number that is sometimes none, and sometimes isn't one.
    var fraction: Double? {
        year.map { $0.isMultiple(of: 3) ? .nan : $0.isMultiple(of: 5) ? -Double($0) / 4 : 0 }
    }
}
