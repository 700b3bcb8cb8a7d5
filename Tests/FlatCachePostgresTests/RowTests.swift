#if canImport(CPostgres)
import FlatCache
import Foundation
import Testing

@testable import FlatCachePostgres

@Suite(.needsPostgres) struct RowTests {
    private let server = PostgresServer.shared
    private let schema = PostgresServer.shared.newSchema()

    struct BookV1: Codable, Sendable {
        var id: Int
        var name: String
    }

    struct BookV2: Codable, Sendable {
        var id: Int
        var heading: String
    }

    private func insert(_ id: Int, form: Int, _ json: String) throws {
        try server.session().runScript(
            """
            INSERT INTO \(schema).book
                VALUES (\(id), nextval('\(schema)._versions'), \(form), '\(json)')
            """
        )
    }

    @Test("Rows of former forms are upgraded step by step, and stored in the present form")
    func upgrade() async throws {
        let node = try await Node(schema) {
            Replicated(Book.self, "book", form: 3)
                .upgrade(from: 1) { (old: BookV1) in BookV2(id: old.id, heading: old.name) }
                .upgrade(from: 2) { (old: BookV2) in Book(id: old.id, title: old.heading) }
        }
        try insert(1, form: 1, #"{"id": 1, "name": "Dune"}"#)
        try insert(2, form: 2, #"{"id": 2, "heading": "Emma"}"#)
        #expect(try await node.cache.load(Book.self, id: 1)?.title == "Dune")
        #expect(try await node.cache.load(Book.self, id: 2)?.title == "Emma")
        try await node.graph.write { batch in
            guard var book = try await batch.get(Book.self, id: 1) else { throw Missing() }
            book.copies = 2
            batch.set(book)
        }
        let rows = try server.session().run("SELECT form, value FROM \(schema).book WHERE id = 1")
        #expect(rows.integer(0, 0) == 3)
        #expect(rows.text(0, 1).contains("\"title\": \"Dune\""))
    }

    @Test("A row of a later form leaves memory, and its loads and writes throw")
    func laterForm() async throws {
        let node = try await Node(schema)
        let later = try await Node(schema) { Replicated(Book.self, "book", form: 2) }
        try await node.graph.write { batch in
            batch.insert(Book(id: 1, title: "Dune"))
            batch.insert(Book(id: 2, title: "Emma"))
        }
        try insert(3, form: 2, #"{"id": 3, "title": "Later", "copies": 0}"#)
        try server.session().runScript("UPDATE \(schema).book SET form = 1 WHERE id = 1")
        // The later node can't read form 1 without an upgrade.
        await #expect { try await later.cache.load(Book.self, id: 1) } throws: {
            ($0 as? PostgresGraphError)?.kind == .undecodable
        }
        for _ in 0..<2 {
            await #expect { try await node.cache.load(Book.self, id: 3) } throws: {
                let error = $0 as? PostgresGraphError
                return error?.kind == .laterForm && error?.keys == [CacheKey(Book.self, id: 3)]
            }
        }
        await #expect {
            try await node.graph.write { _ = try await $0.get(Book.self, id: 3) }
        } throws: { ($0 as? PostgresGraphError)?.kind == .laterForm }
        // Loads of other rows aren't disturbed by one at the same time.
        let refused = Task { try await node.cache.load(Book.self, id: 3) }
        #expect(try await node.cache.load(Book.self, id: 1)?.title == "Dune")
        await #expect(throws: PostgresGraphError.self) { try await refused.value }
        #expect(try await node.cache.load(Book.self, id: 2)?.title == "Emma")
    }

    @Test("An undecodable row leaves memory, and returns when it's mended")
    func undecodable() async throws {
        let node = try await Node(schema, books: .atStart)
        try await node.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        let session = try server.session()
        let history = try session.run("SELECT incarnation FROM \(schema)._history").text(0, 0)
        func change(_ value: String) throws {
            try session.runScript(
                """
                BEGIN;
                SELECT \(schema)._record('\(history)', gen_random_uuid(), 'book', '{1}', '{}');
                UPDATE \(schema).book SET version = nextval('\(schema)._versions'),
                    value = '\(value)' WHERE id = 1;
                COMMIT;
                """
            )
        }
        try change(#"{"id": 1}"#)
        try await node.synchronize()
        #expect(node.cache[Book.self, 1] == nil)
        await #expect { try await node.cache.load(Book.self, id: 1) } throws: {
            ($0 as? PostgresGraphError)?.kind == .undecodable
        }
        try change(#"{"id": 1, "title": "Mended", "copies": 1}"#)
        try await node.synchronize()
        #expect(node.cache[Book.self, 1]?.title == "Mended")
    }

    @Test("A value whose identifier differs from its row's is refused")
    func otherIdentifier() async throws {
        let node = try await Node(schema)
        try insert(1, form: 1, #"{"id": 2, "title": "Dune", "copies": 0}"#)
        await #expect { try await node.cache.load(Book.self, id: 1) } throws: {
            ($0 as? PostgresGraphError)?.kind == .undecodable
        }
        #expect(node.cache[Book.self, 2] == nil)
    }

    @Test("Values that PostgreSQL would change are refused, and nothing is stored")
    func encoding() async throws {
        struct Weight: Codable, Sendable, CacheEntity {
            var id: String
            var grams: Double
        }
        let node = try await Node(schema) { Replicated(Weight.self, "weight") }
        for weight in [
            Weight(id: "a\u{0}", grams: 1), Weight(id: "b", grams: .nan),
            Weight(id: "c", grams: .infinity),
        ] {
            await #expect {
                try await node.graph.write { batch in
                    batch.insert(Weight(id: "ok", grams: 1))
                    batch.insert(weight)
                }
            } throws: {
                let error = $0 as? PostgresGraphError
                return error?.kind == .encoding && error?.keys == [CacheKey(weight)]
            }
        }
        #expect(try await node.cache.load(Weight.self, id: "ok") == nil)
        try await node.graph.write { $0.insert(Weight(id: "zero", grams: 0.1 + 0.2)) }
        #expect(node.cache[Weight.self, "zero"]?.grams == 0.1 + 0.2)
        // The text of an escape, but not the character.
        let text = #"a\u0000"#
        try await node.graph.write { $0.insert(Weight(id: text, grams: 2)) }
        #expect(node.cache[Weight.self, text]?.grams == 2)
    }

    @Test("The first load reads a table of many rows and sizes")
    func firstLoad() async throws {
        let first = try await Node(schema)
        let titles = (0..<3_000).map { String(repeating: "é\\\"\n", count: $0 % 700) + "\($0)" }
        for start in stride(from: 0, to: titles.count, by: 1_000) {
            try await first.graph.write { batch in
                for id in start..<start + 1_000 { batch.insert(Book(id: id, title: titles[id])) }
            }
        }
        let second = try await Node(schema, books: .atStart)
        #expect(second.cache.count(of: Book.self) == 3_000)
        for id in titles.indices where second.cache[Book.self, id]?.title != titles[id] {
            Issue.record("The title of \(id) differs.")
        }
        // Versions are known, so a write needs no other read.
        try await second.graph.write(attempts: 1) { batch in
            guard var book = try await batch.get(Book.self, id: 2_999) else { throw Missing() }
            book.copies = 1
            batch.set(book)
        }
        #expect(second.cache[Book.self, 2_999]?.copies == 1)
    }

    @Test("A write of more than 10,000 rows reaches nodes that load at the start")
    func manyRows() async throws {
        let first = try await Node(schema)
        let second = try await Node(schema, books: .atStart)
        try await first.graph.write { batch in
            for id in 0...10_000 { batch.insert(Book(id: id, title: "\(id)")) }
        }
        try await second.synchronize()
        #expect(second.cache.count(of: Book.self) == 10_001)
    }

    @Test("A table with identifiers of another type is refused")
    func otherColumn() async throws {
        struct OtherBook: Codable, Sendable, CacheEntity { var id: String }
        _ = try await Node(schema)
        await #expect {
            _ = try await Node(schema) { Replicated(OtherBook.self, "book") }
        } throws: { ($0 as? PostgresGraphError)?.kind == .schema }
    }
}
#endif
