#if GRDB
import Dispatch
import FlatCache
import FlatCacheSQLite
import Foundation
import GRDB

extension Row {
    /// Rows that compare FlatCache with GRDB: the same records in a file with an index.
    static let peerRows = [
        Row("33a", "insert of 100,000 records in one transaction, per record", against: grdb) {
            scale in
            .ifPossible { try insertions(scale(100_000)) }
        },
        Row("33b", "read of a record by identifier, out of 100,000", against: grdb) { scale in
            .ifPossible { try reads(scale(100_000)) }
        },
        Row(
            "33c",
            "write until an observer has the first 50 of a sorted, filtered query",
            against: grdb
        ) { scale in
            .ifPossible { try notifications(scale(100_000), scale(slow: 500)) }
        },
        Row("33d", "load of 100,000 records at the start", against: grdb) { scale in
            .ifPossible { try loads(scale(100_000)) }
        },
    ]

    private static let grdb = "GRDB"

    // MARK: Contests

    private static func insertions(_ count: Int) throws -> Contest {
        let books = StoredBook.books(0..<count)
        return Contest {
            inNewFolder { folder in
                let pool = try RecordPool(folder.file("grdb.sqlite"))
                return try wallClock { try pool.insert(books) } / Double(count)
            }
        } subject: {
            inNewFolder { folder in
                let cache = Cache()
                let graph = try attachedGraph(folder.file("graph.sqlite"), to: cache)
                let token = cache.query(StoredBook.self).where(StoredBook.byAuthor, equals: "")
                    .keepCurrent()
                defer { withExtendedLifetime(token) {} }
                return try wallClock {
                    cache.set(contentsOf: books)
                    try wait { try await graph.flush() }
                } / Double(count)
            }
        }
    }

    private static func reads(_ count: Int) throws -> Contest {
        let sides = try Sides(StoredBook.books(0..<count))
        let order = randomOrder(of: 0..<count, count: count / 10)
        return Contest {
            inNewFolder { _ in
                try wallClock {
                    for id in order { blackHole(try sides.pool.book(id)) }
                } / Double(order.count)
            }
        } subject: {
            inNewFolder { _ in
                try wallClock {
                    for id in order { blackHole(sides.cache.get(StoredBook.self, id: id)) }
                } / Double(order.count)
            }
        }
    }

    private static func notifications(_ count: Int, _ writes: Int) throws -> Contest {
        let books = StoredBook.books(0..<count)
        let sides = try Sides(books)
        // The first of its author's books, so that each write changes the observed ones.
        let author = books[count / 2].author
        let book = books.filter { $0.author == author }.min { $0.price < $1.price } ?? books[0]
        var edition = 0
        func changes() -> [StoredBook] {
            edition += 1
            return (0..<writes).map { number in
                var book = book
                book.title = "edition \(edition), write \(number)"
                return book
            }
        }
        return Contest {
            inNewFolder { _ in
                let calls = DispatchSemaphore(value: 0)
                let token = sides.pool.observeFirst(50, of: book.author) { books in
                    blackHole(books.count)
                    calls.signal()
                }
                defer { token.cancel() }
                calls.wait()
                return try wallClock {
                    for change in changes() {
                        try sides.pool.update(change)
                        calls.wait()
                    }
                } / Double(writes)
            }
        } subject: {
            inNewFolder { _ in
                let calls = DispatchSemaphore(value: 0)
                let token = sides.cache.query(StoredBook.self)
                    .where(StoredBook.byAuthor, equals: book.author).sorted(by: \.price).limit(50)
                    .observe { books in
                        for book in books { blackHole(book.id) }
                        calls.signal()
                    }
                defer { token.dispose() }
                return try wallClock {
                    for change in changes() {
                        sides.cache.set(change)
                        calls.wait()
                    }
                } / Double(writes)
            }
        }
    }

    private static func loads(_ count: Int) throws -> Contest {
        let folder = try ScratchFolder()
        let (database, graph) = (folder.file("grdb.sqlite"), folder.file("graph.sqlite"))
        _ = try Sides(StoredBook.books(0..<count), database, graph)
        return Contest {
            inNewFolder { _ in
                try wallClock { blackHole(try RecordPool(database).books().count) }
                    / Double(count)
            }
        } subject: {
            defer { withExtendedLifetime(folder) {} }
            return inNewFolder { _ in
                let cache = Cache()
                return try wallClock {
                    blackHole(try attachedGraph(graph, load: .atStart, to: cache))
                } / Double(count)
            }
        }
    }

    // MARK: Sides

    /// The same records in a database and in a cache with a graph.
    private struct Sides {
        let pool: RecordPool
        let cache = Cache()
        private let graph: SQLiteGraph
        private let folder: ScratchFolder

        init(_ books: [StoredBook], _ database: URL? = nil, _ file: URL? = nil) throws {
            folder = try ScratchFolder()
            pool = try RecordPool(database ?? folder.file("grdb.sqlite"))
            try pool.insert(books)
            graph = try attachedGraph(file ?? folder.file("graph.sqlite"), to: cache)
            cache.set(contentsOf: books)
            try wait { [graph] in try await graph.flush() }
        }
    }

    // MARK: Measuring

    private static func inNewFolder(_ measure: (ScratchFolder) throws -> Double) -> Double {
        do {
            let folder = try ScratchFolder()
            defer { withExtendedLifetime(folder) {} }
            return try measure(folder)
        } catch {
            Failures.note(error)
            return .nan
        }
    }

    private static func wallClock(_ body: () throws -> Void) rethrows -> Double {
        let start = Stopwatch.now
        try body()
        return Double(Stopwatch.now - start)
    }
}

extension StoredBook {
    fileprivate static let byAuthor = CacheIndex("author", \StoredBook.author)
}

extension StoredBook: FetchableRecord, PersistableRecord {
    static let databaseTableName = "book"
}

/// A database of GRDB with an index on the author.
private struct RecordPool: Sendable {
    private let pool: DatabasePool

    init(_ file: URL) throws {
        pool = try DatabasePool(path: file.path)
        try pool.write { database in
            try database.create(table: "book", options: .ifNotExists) { table in
                table.primaryKey("id", .integer)
                table.column("title", .text).notNull()
                table.column("author", .text).notNull().indexed()
                table.column("year", .integer).notNull()
                table.column("price", .double).notNull()
                table.column("isInStock", .boolean).notNull()
            }
        }
    }

    func insert(_ books: [StoredBook]) throws {
        try pool.write { database in
            for book in books { try book.insert(database) }
        }
    }

    func update(_ book: StoredBook) throws {
        try pool.write { try book.update($0) }
    }

    func book(_ id: Int) throws -> StoredBook? {
        try pool.read { try StoredBook.fetchOne($0, key: id) }
    }

    func books() throws -> [StoredBook] {
        try pool.read { try StoredBook.fetchAll($0) }
    }

    /// Observes the first books of an author by price.
    ///
    /// The first call delivers the present ones.
    func observeFirst(
        _ count: Int,
        of author: String,
        _ body: @escaping @Sendable ([StoredBook]) -> Void
    ) -> AnyDatabaseCancellable {
        ValueObservation.tracking { database in
            try StoredBook.filter(Column("author") == author).order(Column("price")).limit(count)
                .fetchAll(database)
        }
        .start(in: pool, scheduling: .async(onQueue: .global())) { error in
            Failures.note(error)
        } onChange: { books in
            body(books)
        }
    }
}
#else
extension Row {
    /// Without the trait `GRDB`, there is nothing to compare with.
    static let peerRows: [Row] = []
}
#endif
