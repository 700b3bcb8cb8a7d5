#if canImport(CPostgres)
import CPostgres
import FlatCache
import FlatCacheRows
import Foundation
import Testing

@testable import FlatCachePostgres

@Suite struct TransactionSnapshotTests {
    @Test("A snapshot shows the transactions that had ended")
    func shows() throws {
        let snapshot = try #require(TransactionSnapshot("10:20:10,14"))
        let shown = (8...21).filter { snapshot.shows(UInt64($0)) }
        #expect(shown == [8, 9, 11, 12, 13, 15, 16, 17, 18, 19])
        #expect(snapshot.description == "10:20:10,14")
    }

    @Test("A snapshot without running transactions")
    func empty() throws {
        let snapshot = try #require(TransactionSnapshot("7:7:"))
        #expect(snapshot.shows(6) && !snapshot.shows(7))
        #expect(snapshot.description == "7:7:")
    }

    @Test(
        "Other texts aren't snapshots",
        arguments: ["", "1:2", "a:2:", "3:2:", "1:2:x", "1:2:3:4"]
    )
    func malformed(_ text: String) { #expect(TransactionSnapshot(text) == nil) }
}

@Suite struct WriteTokenTests {
    @Test("A token is read as it was written")
    func roundTrip() throws {
        let token = WriteToken(incarnation: UUID().uuidString.lowercased(), transaction: .max)
        #expect(try WriteToken(token.description) == token)
    }

    @Test("Other texts aren't tokens", arguments: ["", ".", "a.1", "\(UUID()).", "\(UUID()).-1"])
    func malformed(_ text: String) {
        #expect { () throws in _ = try WriteToken(text) } throws: {
            ($0 as? PostgresGraphError)?.kind == .malformedToken
        }
    }
}

@Suite struct ArrayLiteralTests {
    @Test(
        "An array is read as the server writes it",
        arguments: [
            ("{}", []), ("{a}", ["a"]), ("{a,b}", ["a", "b"]), (#"{"",x}"#, ["", "x"]),
            (#"{"a,b","{}"}"#, ["a,b", "{}"]), (#"{"a\"b","c\\d"}"#, ["a\"b", #"c\d"#]),
            ("{é,\"ü ö\"}", ["é", "ü ö"]),
        ]
    )
    func elements(_ literal: String, _ elements: [String]) {
        #expect(ArrayLiteral.elements(of: literal) == elements)
    }

    @Test("An array arrives at the server and returns", .needsPostgres)
    func roundTrip() throws {
        let session = try PostgresServer.shared.session()
        let elements = ["", "a", "a,b", "\"", "\\", "{}", "NULL", " x ", "é", "\n"]
        let rows = try session.run("SELECT $1::text[]", [.array(elements)])
        #expect(rows.array(0, 0) == elements)
    }
}

@Suite struct SchemaTests {
    @Test("Names of schemas and types", arguments: ["a", "a_1", String(repeating: "a", count: 48)])
    func names(_ name: String) { #expect(Schema.isName(name)) }

    @Test("Watched tables have short names, which differ if theirs have one beginning")
    func watchedNames() {
        func name(_ table: String) -> String {
            WatchedTable(of: Customer.self, table: table, id: "id").name
        }
        #expect(name("public.customers").hasPrefix("watched_public_customers_"))
        let long = "public." + String(repeating: "customers_", count: 9)
        #expect(name(long) != name(long + "2"))
        #expect(name(long) == name(long))
        #expect(Schema.isName(name(long)))
    }

    @Test(
        "Other names are refused",
        arguments: ["", "_a", "1a", "A", "a-b", "a b", "ä", String(repeating: "a", count: 49)]
    )
    func otherNames(_ name: String) { #expect(!Schema.isName(name)) }
}

/// The results of a write, as the server sends them.
private enum Recorded {
    private static func result(_ status: ExecStatusType) -> OpaquePointer {
        guard let result = PQmakeEmptyPGresult(nil, status) else {
            fatalError("There is no memory for a result.")
        }
        return result
    }

    static func rows(_ values: [String]) -> Result<Rows, PostgresGraphError> {
        let result = result(PGRES_TUPLES_OK)
        var name = Array("column".utf8CString)
        name.withUnsafeMutableBufferPointer { name in
            var attribute = pgresAttDesc()
            attribute.name = name.baseAddress
            PQsetResultAttrs(result, 1, &attribute)
        }
        for (row, value) in values.enumerated() {
            var bytes = Array(value.utf8CString)
            PQsetvalue(result, Int32(row), 0, &bytes, Int32(value.utf8.count))
        }
        return .success(Rows(result))
    }

    static var done: Result<Rows, PostgresGraphError> {
        .success(Rows(result(PGRES_COMMAND_OK)))
    }

    static func failure(_ sqlState: String, _ message: String) -> Result<Rows, PostgresGraphError> {
        .failure(
            PostgresGraphError(
                sqlState: sqlState,
                message: message,
                constraint: nil,
                isFatal: false
            )
        )
    }

    static var skipped: Result<Rows, PostgresGraphError> {
        .failure(PostgresGraphError(.failed, "An earlier statement failed."))
    }
}

@Suite struct WritePlanTests {
    private var plan: WritePlan {
        var books = WritePlan.TableChanges(table: "book", column: .bigint, form: 2)
        books.updates = [("1", 7, "{}"), ("2", 8, "{}")]
        var authors = WritePlan.TableChanges(table: "author", column: .text, form: 1)
        authors.inserts = [("lem", "{}")]
        return WritePlan(id: UUID(), [books, authors], [Step("SELECT 1")])
    }

    @Test("A write records, locks, changes and commits")
    func steps() {
        let steps = plan.steps(Schema("shop"), incarnation: "i").map(\.sql)
        let words = steps.map { $0.prefix { $0 != " " && $0 != "\n" } }
        #expect(
            words == [
                "BEGIN", "SELECT", "SELECT", "WITH", "SELECT", "WITH", "SELECT", "COMMIT",
            ]
        )
        // Tables in the order of their names, and the statements of the service last.
        #expect(steps[3].contains("\"shop\".\"author\"") && steps[5].contains("\"shop\".\"book\""))
        #expect(steps[4].contains("\"shop\".\"book\"") && steps[4].contains("FOR UPDATE"))
        #expect(steps[6] == "SELECT 1")
    }

    @Test("More than 10,000 keys concern all rows")
    func manyKeys() {
        var books = WritePlan.TableChanges(table: "book", column: .bigint, form: 1)
        books.inserts = (0...10_000).map { ("\($0)", "{}") }
        let steps = WritePlan(id: UUID(), [books], []).steps(Schema("shop"), incarnation: "i")
        #expect(steps[1].parameters[3] == nil && steps[1].parameters[4] == .array([]))
    }

    @Test("The outcome of a committed write is its transaction", .needsPostgres)
    func committed() async throws {
        let session = try PostgresServer.shared.session()
        let results = try session.pipeline([
            Step("BEGIN"), Step("SELECT 42"), Step("COMMIT"),
        ])
        guard case .committed(42) = WritePlan.outcome(of: results) else {
            Issue.record("The write is committed.")
            return
        }
    }

    @Test("A write whose transaction a statement has ended isn't committed")
    func endedTransaction() {
        let results = [
            Recorded.done, Recorded.rows(["42"]), Recorded.rows([""]), Recorded.done,
        ]
        // The command of these results isn't COMMIT.
        guard case .failed = WritePlan.outcome(of: results) else {
            Issue.record("The write has failed.")
            return
        }
    }

    @Test("A lost write is withdrawn under its own identifier")
    func withdrawal() {
        let plan = plan
        let step = plan.resolution(Schema("shop"), incarnation: "i")
        #expect(step.parameters[1] == SQLParameter(plan.id.uuidString))
        #expect(step.parameters[2] == "author")
        #expect(plan.renewed.id != plan.id)
    }

    @Test(
        "Other versions, deadlocks and serialization failures are conflicts",
        arguments: [SchemaError.conflict, "40P01", "40001", "55P03", SchemaError.otherHistory]
    )
    func conflict(_ sqlState: String) {
        let results = [
            Recorded.done, Recorded.rows(["42"]), Recorded.failure(sqlState, "…"), Recorded.skipped,
            Recorded.skipped,
        ]
        guard case .failed(let error) = WritePlan.outcome(of: results) else {
            Issue.record("The write has failed.")
            return
        }
        #expect(error.kind == .conflict && error.sqlState == sqlState)
    }
}

@Suite struct IdentifierFormTests {
    struct Name: Codable, Hashable, Sendable {
        let text: String
        init(_ text: String) { self.text = text }
        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    enum Number: Int, Codable, Hashable, Sendable { case one = 1, two }

    struct Pair: Codable, Hashable, Sendable { var a = 1, b = 2 }

    @Test("Identifiers return from their text")
    func roundTrip() throws {
        func check<ID: Codable & Hashable & Sendable>(_ id: ID, _ column: IdentifierColumn) throws {
            let form = IdentifierForm<ID>()
            #expect(form.column == column)
            #expect(try form.decode(form.encode(id)) == id)
        }
        try check(-7, .bigint)
        try check(UInt8.max, .bigint)
        try check(UUID(), .uuid)
        try check("é", .text)
        try check(Name("x"), .text)
        try check(Number.two, .text)
    }

    @Test("Equal strings have one text")
    func canonical() throws {
        let form = IdentifierForm<String>()
        #expect(try Array(form.encode("e\u{301}").utf8) == Array(form.encode("é").utf8))
    }

    @Test("Identifiers that a column can't keep are refused")
    func refused() {
        #expect(throws: RowError.self) { try IdentifierForm<UInt64>().encode(.max) }
        #expect(throws: RowError.self) { try IdentifierForm<String>().encode("a\u{0}b") }
        #expect(throws: RowError.self) { try IdentifierForm<Pair>().encode(Pair()) }
    }
}
#endif
