import Foundation
import Testing

@testable import FlatCacheSQLite

struct DatabaseTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ name: String = "file.sqlite") throws -> Database {
        try Database(path: folder.file(name).path, lockTimeout: .zero)
    }

    private func numbers(_ database: Database) throws -> [Int64] {
        let select = try database.statement("SELECT n FROM t ORDER BY n")
        defer { select.reset() }
        var numbers: [Int64] = []
        while try select.step() { numbers.append(select.number(0)) }
        return numbers
    }

    private func insert(_ number: Int64, into database: Database) throws(SQLiteGraphError) {
        let insert = try database.statement("INSERT INTO t VALUES (?)")
        insert.bind(number, at: 1)
        try insert.run()
    }

    @Test func newFileIsInWALModeAndVacuumsInSteps() throws {
        let database = try open()
        let mode = try database.statement("PRAGMA journal_mode")
        #expect(try mode.step())
        #expect(mode.text(0) == "wal")
        mode.reset()
        #expect(try database.number("PRAGMA auto_vacuum") == 2)
        #expect(try database.number("PRAGMA synchronous") == 1)
    }

    @Test func argumentsRoundTrip() throws {
        let database = try open()
        try database.execute("CREATE TABLE t (a, b, c, d, e)")
        let insert = try database.statement("INSERT INTO t VALUES (?, ?, ?, ?, ?)")
        insert.bind(.min, at: 1)
        insert.bind("a\0ä", at: 2)
        insert.bind([1, 0, 255], at: 3)
        insert.bind("", at: 4)
        insert.bind([UInt8](), at: 5)
        try insert.run()
        let select = try database.statement("SELECT *, typeof(d), typeof(e), NULL FROM t")
        #expect(try select.step())
        #expect(select.number(0) == .min)
        #expect(select.isInteger(0))
        #expect(select.text(1) == "a\0ä")
        #expect(Array(select.bytes(2)) == [1, 0, 255])
        #expect(select.bytes(4).isEmpty)
        #expect(select.text(5) == "text")
        #expect(select.text(6) == "blob")
        #expect(select.isNull(7))
        #expect(try !select.step())
        select.reset()
    }

    @Test func statementIsPreparedOnceAndResetWhenItIsUsedAgain() throws {
        let database = try open()
        try database.execute("CREATE TABLE t (n INTEGER)")
        for number in 1...3 as ClosedRange<Int64> { try insert(number, into: database) }
        let first = try database.statement("SELECT n FROM t ORDER BY n")
        #expect(try first.step())
        let second = try database.statement("SELECT n FROM t ORDER BY n")
        #expect(first === second)
        #expect(try second.step())
        #expect(second.number(0) == 1)
    }

    @Test func transactionThatThrowsIsRolledBack() throws {
        let database = try open()
        try database.execute("CREATE TABLE t (n INTEGER PRIMARY KEY)")
        try database.transaction { () throws(SQLiteGraphError) in try insert(1, into: database) }
        let error = #expect(throws: SQLiteGraphError.self) {
            try database.transaction { () throws(SQLiteGraphError) in
                try insert(2, into: database)
                try insert(1, into: database)
            }
        }
        #expect(error?.kind == .failed)
        #expect(error?.file == database.path)
        #expect(try numbers(database) == [1])
        // The connection is usable afterwards.
        try database.transaction { () throws(SQLiteGraphError) in try insert(3, into: database) }
        #expect(try numbers(database) == [1, 3])
    }

    @Test func lockOfAnotherConnectionIsAnError() throws {
        let (database, other) = (try open(), try open())
        try database.execute("CREATE TABLE t (n INTEGER)")
        try database.transaction { () throws(SQLiteGraphError) in
            let error = #expect(throws: SQLiteGraphError.self) { try other.transaction {} }
            #expect(error?.kind == .locked)
        }
        try other.transaction { () throws(SQLiteGraphError) in try insert(1, into: other) }
        #expect(try numbers(database) == [1])
    }

    @Test func fileThatAnotherConnectionWritesToIsOpened() throws {
        let database = try open()
        try database.execute("CREATE TABLE t (n INTEGER)")
        try database.execute("BEGIN IMMEDIATE")
        let other = try open()
        #expect(try numbers(other) == [])
        try database.execute("ROLLBACK")
    }

    @Test func fileThatIsNoDatabaseIsCorrupt() throws {
        let text = String(repeating: "This is no database. ", count: 100)
        try Data(text.utf8).write(to: folder.file("file.sqlite"))
        let error = #expect(throws: SQLiteGraphError.self) { try open() }
        #expect(error?.kind == .corrupt)
        #expect(error?.description.contains("file.sqlite") == true)
    }

    @Test func folderInPlaceOfTheFileCannotBeOpened() throws {
        try FileManager.default.createDirectory(
            at: folder.file("file.sqlite"),
            withIntermediateDirectories: false
        )
        let error = #expect(throws: SQLiteGraphError.self) { try open() }
        #expect(error?.kind == .cannotOpen)
    }

    @Test func deletedAndReplacedFilesAreLost() throws {
        let database = try open()
        try database.execute("CREATE TABLE t (n INTEGER)")
        #expect(!database.isLost)
        try FileManager.default.removeItem(at: folder.file("file.sqlite"))
        #expect(database.isLost)
        try Data().write(to: folder.file("file.sqlite"))
        #expect(database.isLost)
    }

    @Test(arguments: ["-wal", "-shm"])
    func deletedFileBesideTheFileIsALoss(suffix: String) throws {
        #expect(try !open().isSettled)
        let other = try open()
        let database = try open()
        #expect(database.isSettled)
        #expect(!database.isLost)
        try FileManager.default.removeItem(at: folder.file("file.sqlite\(suffix)"))
        #expect(database.isLost)
        withExtendedLifetime(other) {}
    }

    @Test func abandonedConnectionThrows() throws {
        let database = try open()
        database.abandon()
        database.abandon()
        #expect(database.isLost)
        let error = #expect(throws: SQLiteGraphError.self) { try database.execute("SELECT 1") }
        #expect(error?.kind == .cannotOpen)
        #expect(throws: SQLiteGraphError.self) { _ = try database.statement("SELECT 1") }
    }

    @Test(
        arguments: [
            (5, .locked), (6, .locked), (8, .readOnly), (1032, .lostFile), (11, .corrupt),
            (26, .corrupt), (267, .corrupt), (13, .diskFull), (14, .cannotOpen), (19, .failed),
        ] as [(Int32, SQLiteGraphError.Kind)]
    )
    func resultCodeHasAKind(code: Int32, kind: SQLiteGraphError.Kind) {
        #expect(SQLiteGraphError.Kind(code: code) == kind)
    }

    @Test func systemErrorDecidesTheKindOfAFailedWrite() {
        #expect(SQLiteGraphError.Kind(code: 778, systemError: ENOSPC) == .diskFull)
        #expect(SQLiteGraphError.Kind(code: 778, systemError: EROFS) == .readOnly)
        #expect(SQLiteGraphError.Kind(code: 778, systemError: EIO) == .failed)
    }
}
