@testable import FlatCache

// The conditions and orders of random queries.
extension QueryCase {
    // Its name counts, whatever cache a condition reads.
    private static let featured = Cache().featuredBook

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
            name: "year in 4...8, by index",
            narrow: { $0.where(Book.byYear, in: 4...8) },
            holds: { book, _ in book.year.map { (4...8).contains($0) } ?? false }
        ),
        Condition(
            name: "title through b, by index",
            narrow: { $0.where(Book.byTitle, in: ..."b") },
            holds: { book, _ in book.title.map { $0 <= "b" } ?? false }
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
                query.where { ($0.year ?? 0) > (featured.value(in: $1)?.year ?? 3) }
            },
            holds: { book, cache in
                let target = cache.get(AliasState<Book>.self, id: featured.name)?.target
                let year = target.flatMap { cache.get(Book.self, id: $0)?.year }
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
        Condition(
            name: "is the sequel of a book from before 6",
            narrow: { $0.where(Book.bySequel) { $0.contains { ($0.year ?? 9) < 6 } } },
            holds: { book, cache in
                cache.values(of: Book.self)
                    .contains { $0.sequel?.id == book.id && ($0.year ?? 9) < 6 }
            },
            readsReferring: true
        ),
        Condition(
            name: "is the sequel of at most one book",
            narrow: { $0.where(Book.bySequel) { $0.count < 2 } },
            holds: { book, cache in
                cache.values(of: Book.self).count { $0.sequel?.id == book.id } < 2
            },
            readsReferring: true
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
        for condition in Self.allConditions where Int.random(in: 0..<6, using: &generator) == 0 {
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
        isShared = Int.random(in: 0..<4, using: &generator) == 0
        pinsElements = Int.random(in: 0..<4, using: &generator) == 0
    }
}

extension Book {
    static let byAuthor = CacheIndex("author", \Book.author)
    static let byYear = CacheIndex("year", \Book.year)
    static let byTitle = CacheIndex("title", \Book.title)
    static let bySequel = CacheIndex("sequel", \Book.sequel)
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
