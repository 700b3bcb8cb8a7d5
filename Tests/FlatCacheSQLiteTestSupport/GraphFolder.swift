import FlatCache
import FlatCacheTesting
import Foundation

@testable import FlatCacheSQLite

/// A folder with the file of a graph, the errors of its graphs, and the clock that measures their
/// intervals.
struct GraphFolder {
    private let folder: TemporaryFolder
    let errors = Recorder<SQLiteGraphError>()
    /// The clock of the intervals, as opposed to the wall clock.
    let clock = ManualClock()

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The interval of a graph that is opened without one.
    static let flushInterval: Duration = .milliseconds(100)

    var url: URL { folder.file("graph.sqlite") }
    var contents: [String] { get throws { try folder.contents } }

    func file(_ name: String) -> URL { folder.file(name) }

    /// Opens a graph that flushes only when a test calls it, or advances the clock.
    func graph(
        lockTimeout: Duration = .seconds(1),
        coder: some RowCoder = CompactRowCoder(),
        wallClock: @escaping @Sendable () -> Date = { Date() },
        @DurableBuilder _ types: () -> [DurableBuilder.Declaration]
    ) throws -> SQLiteGraph {
        try SQLiteGraph(
            url,
            coder: coder,
            lockTimeout: lockTimeout,
            clock: clock,
            wallClock: wallClock,
            onError: { [errors] in errors.append($0) },
            types: types
        )
    }

    /// Opens a graph of books and authors.
    func graph(
        books: DurableLoading = .atStart,
        lockTimeout: Duration = .seconds(1)
    ) throws -> SQLiteGraph {
        try graph(lockTimeout: lockTimeout) {
            Durable(Book.self, "book", load: books)
            Durable(Author.self, "author", load: .atStart)
        }
    }

    /// Opens the file with a connection of its own, and runs a statement.
    ///
    /// - Returns: The first column of each row as text.
    @discardableResult
    func run(_ sql: String) throws -> [String] {
        let database = try Database(path: url.path, lockTimeout: .seconds(1))
        let statement = try database.statement(sql)
        var rows: [String] = []
        while try statement.step() { rows.append(statement.text(0)) }
        statement.reset()
        return rows
    }

    /// Replaces the content of the open file by that of another file, as SQLite's backup interface
    /// does.
    func exchangeContent(for other: String, _ types: [String]) throws {
        let database = try Database(path: url.path, lockTimeout: .seconds(1))
        let statements = statementsOfExchange(for: other, types)
        try database.execute(statements.begin + statements.end)
    }

    /// Returns the statements that begin an exchange, and the statement that commits it.
    func statementsOfExchange(for other: String, _ types: [String]) -> (begin: String, end: String)
    {
        let tables = ["flatcache_identity", "flatcache_log"] + types
        let rows = tables.map { "DELETE FROM \($0); INSERT INTO \($0) SELECT * FROM other.\($0);" }
        return ("ATTACH '\(other)' AS other; BEGIN IMMEDIATE; \(rows.joined())", "COMMIT")
    }

    /// Opens the log of the file with a connection of its own.
    func log() throws -> TransactionLog {
        TransactionLog(database: try Database(path: url.path, lockTimeout: .seconds(1)))
    }
}

extension TransactionLog {
    /// Returns the records of the transactions after a number, in their order, or `nil` if the log
    /// no longer has all of them.
    func records(after number: Int64) throws(SQLiteGraphError) -> [TransactionRecord]? {
        let left = try recordsLeft(after: number)
        return left.isComplete ? left.records : nil
    }
}
