import FlatCache

extension Row {
    /// Rows about live queries and indexes.
    static let queryRows = [
        moves("31a", of: 100_000, target: 1.0 / 1_000),
        moves("31b", of: 1_000_000, target: nil),
        Row(
            "31c",
            "set with 10,000 active queries for one author each",
            against: "10 of these queries",
            target: 2
        ) { scale in
            let books = scale(1_000_000)
            let few = RoutedQueries(queries: 10, books: books)
            let many = RoutedQueries(queries: books / 100, books: books)
            let sets = scale(100_000)
            return Contest {
                few.measure(sets: sets)
            } subject: {
                many.measure(sets: sets)
            }
        },
        Row(
            "31d",
            "first run by an index, 100 of 1,000,000",
            against: "a filter of all values"
        ) { scale in
            let cache = Cache()
            let books = scale(1_000_000)
            cache.set(contentsOf: QueriedBook.books(books))
            func query(_ author: Int) -> CachedQuery<QueriedBook> {
                cache.query(QueriedBook.self).where(QueriedBook.byAuthor, equals: author)
            }
            blackHole(query(0).count)
            let runs = scale(slow: 200)
            return Contest {
                Stopwatch.nanoseconds(per: 1) {
                    blackHole(cache.values(of: QueriedBook.self).filter { $0.author == 7 }.count)
                }
            } subject: {
                Stopwatch.nanoseconds(per: runs) {
                    for run in 0..<runs { query(run % (books / 100)).keepCurrent().dispose() }
                }
            }
        },
        Row(
            "31e",
            "batch of 100,000 with an active query on a number, per value",
            against: "FlatCache without the query",
            target: 2
        ) { scale in
            let books = QueriedBook.books(scale(100_000))
            return Contest {
                ingest(books, isQueried: false)
            } subject: {
                ingest(books, isQueried: true)
            }
        },
        Row(
            "31f",
            "set in a type without queries, while another type has one",
            against: "FlatCache without queries",
            target: 1.02
        ) { scale in
            let books = Book.books(0..<1_000)
            let unqueried = Cache()
            let queried = Cache()
            for cache in [unqueried, queried] { cache.set(contentsOf: books) }
            let token = queried.query(QueriedBook.self).sorted(by: \.number).keepCurrent()
            let sets = scale(1_000_000)
            return Contest {
                set(books, sets, in: unqueried)
            } subject: {
                withExtendedLifetime(token) { set(books, sets, in: queried) }
            }
        },
        projection("31g", "a map") { query in
            query.map { book, _ in MappedBook(number: book.number, author: book.author) }
                .keepCurrent()
        },
        projection("31h", "the counts of 1,000 groups") { query in
            query.aggregate(.count, by: \.author).keepCurrent()
        },
        projection("31i", "1,000 sections") { query in
            query.sections(by: \.author).keepCurrent()
        },
        memory("31j", "after the first run", .queriedRows),
        memory("31k", "after as many moves", .movedRows),
    ]

    /// Creates a row for moves of single rows in a sorted result, with the delivery of their
    /// differences.
    private static func moves(_ name: String, of count: Int, target: Double?) -> Row {
        Row(
            name,
            "one row moves in a sorted result of \(count), with its difference",
            against: "filter and sort of all values",
            target: target
        ) { scale in
            let books = scale(count)
            let cache = Cache()
            let tally = Tally()
            cache.set(contentsOf: QueriedBook.books(books))
            let token = cache.query(QueriedBook.self).sorted(by: \.number).observeChanges {
                change in
                blackHole(change.difference.count)
                tally.add()
            }
            let moves = scale(20_000)
            return Contest {
                Stopwatch.nanoseconds(per: 1) {
                    let found = cache.values(of: QueriedBook.self).filter { $0.number >= 0 }
                    let sorted = found.sorted { ($0.number, $0.id) < ($1.number, $1.id) }
                    blackHole(sorted.count)
                }
            } subject: {
                let callsBefore = tally.count
                defer { withExtendedLifetime(token) { tally.check(callsBefore + moves) } }
                // So many authors that no book equals the stored one, which would change nothing.
                return change(moves, of: books, authors: .max, in: cache)
            }
        }
    }

    /// Creates a row for changes of single rows in a projection that is kept current.
    private static func projection(
        _ name: String,
        _ title: String,
        _ keepCurrent: @escaping @Sendable (CachedQuery<QueriedBook>) -> Disposable
    ) -> Row {
        Row(
            name,
            "one row changes in \(title) of 100,000 rows",
            against: "the query that it projects"
        ) { scale in
            let books = scale(100_000)
            let changes = scale(20_000)
            let (plain, projected) = (Cache(), Cache())
            for cache in [plain, projected] { cache.set(contentsOf: QueriedBook.books(books)) }
            let tokens = [
                plain.query(QueriedBook.self).sorted(by: \.number).keepCurrent(),
                keepCurrent(projected.query(QueriedBook.self).sorted(by: \.number)),
            ]
            return Contest {
                change(changes, of: books, authors: 1_000, in: plain)
            } subject: {
                withExtendedLifetime(tokens) {
                    change(changes, of: books, authors: 1_000, in: projected)
                }
            }
        }
    }

    /// Creates a row about the memory of a sorted result, which a fresh process measures.
    private static func memory(_ name: String, _ title: String, _ question: MemoryQuestion) -> Row {
        Row(
            name,
            "resident bytes per row, 1,000,000 rows, \(title)",
            against: "the goal, 48 B",
            unit: .bytes,
            target: 1
        ) { scale in
            let rows = scale(1_000_000)
            return Contest {
                48
            } subject: {
                question.ask(entities: rows)
            }
        }
    }

    /// Returns the nanoseconds per random change of one row.
    private static func change(
        _ count: Int,
        of books: Int,
        authors: Int,
        in cache: Cache
    ) -> Double {
        // Other changes in each round, since an equal value changes nothing.
        var generator = SystemRandomNumberGenerator()
        let changes = QueriedBook.randomBooks(count, of: books, authors: authors, &generator)
        return Stopwatch.nanoseconds(per: count) {
            for change in changes { cache.set(change) }
        }
    }

    private static func ingest(_ books: [QueriedBook], isQueried: Bool) -> Double {
        let cache = Cache()
        let query = cache.query(QueriedBook.self).sorted(by: \.number)
        let token = isQueried ? query.keepCurrent() : nil
        return withExtendedLifetime(token) {
            Stopwatch.nanoseconds(per: books.count) { cache.set(contentsOf: books) }
        }
    }

    private static func set(_ books: [Book<Int>], _ sets: Int, in cache: Cache) -> Double {
        Stopwatch.nanoseconds(per: sets) {
            for number in 0..<sets { cache.set(books[number % books.count]) }
        }
    }
}

/// The row of a book in a map.
private struct MappedBook: Equatable, Sendable {
    let number: Int
    let author: Int
}

/// A cache with active queries for one author each.
private struct RoutedQueries: Sendable {
    private let cache = Cache()
    private let tokens: [Disposable]
    private let books: Int

    init(queries: Int, books: Int) {
        self.books = books
        cache.set(contentsOf: QueriedBook.books(books))
        tokens = (0..<queries).map { [cache] author in
            cache.query(QueriedBook.self)
                .where(QueriedBook.byAuthor, equals: author)
                .keepCurrent()
        }
    }

    /// Returns the nanoseconds per write to a book of one of the first ten authors.
    func measure(sets: Int) -> Double {
        Stopwatch.nanoseconds(per: sets) {
            for number in 0..<sets {
                let id = number % 1_000
                cache.set(QueriedBook(id: id, number: number, author: id / 100))
            }
        }
    }
}
