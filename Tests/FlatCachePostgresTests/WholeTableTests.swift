#if canImport(CPostgres)
import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCachePostgres

/// First loads, and rows that are read again.
@Suite(.needsPostgres) struct WholeTableTests {
    private let server = PostgresServer.shared
    private let schema = PostgresServer.shared.newSchema()

    @Test("Rows that are gone when all are read again leave memory, and new ones appear")
    func orphans() async throws {
        let nodes = [try await Node(schema), try await Node(schema, books: .atStart)]
        try await nodes[0].graph.write { batch in
            for id in 1...2_500 { batch.insert(Book(id: id, title: "old")) }
            for id in ["kept", "gone"] { batch.insert(Author(id: id, name: "old")) }
        }
        for node in nodes {
            try await node.synchronize()
            for id in [1, 2, 2_500] { _ = try await node.cache.load(Book.self, id: id) }
            for id in ["kept", "gone"] { _ = try await node.cache.load(Author.self, id: id) }
        }
        // As if the records had been deleted before the nodes read them.
        try server.session().runScript(
            """
            BEGIN;
            DELETE FROM \(schema).book WHERE id IN (2, 2000, 2500);
            DELETE FROM \(schema).author WHERE id = 'gone';
            INSERT INTO \(schema).book
                VALUES (3000, nextval('\(schema)._versions'), 1,
                    '{"id": 3000, "title": "new", "copies": 0}');
            UPDATE \(schema).book SET version = nextval('\(schema)._versions'),
                value = value || '{"title": "new"}' WHERE id = 1;
            DELETE FROM \(schema)._log;
            COMMIT;
            """
        )
        // A transaction of its own, to which the former one is over.
        try server.session().run(
            """
            UPDATE \(schema)._history SET deleted = pg_snapshot_xmax(pg_current_snapshot())
            """
        )
        for node in nodes {
            try await node.synchronize()
            // An old transaction of another test makes a node read its rows once more.
            #expect(node.graph.statistics.resynchronizationCount > 0)
            #expect(node.cache[Book.self, 1]?.title == "new")
            for id in [2, 2_500] {
                #expect(node.cache[Book.self, id] == nil)
                #expect(try await node.cache.load(Book.self, id: id) == nil)
            }
            #expect(node.cache[Author.self, "kept"] != nil)
            #expect(node.cache[Author.self, "gone"] == nil)
        }
        // A query doesn't keep its cache.
        let ids = withExtendedLifetime(nodes) {
            Set(nodes[1].cache.query(Book.self).elements.map(\.id))
        }
        #expect(ids == Set(1...2_500).union([3_000]).subtracting([2, 2_000, 2_500]))
    }

    @Test("Values of replicated types that a cache had before it was attached leave memory")
    func valuesBefore() async throws {
        let first = try await Node(schema)
        try await first.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        let cache = Cache()
        cache.set(contentsOf: [Book(id: 1, title: "old"), Book(id: 2, title: "old")])
        cache.set(Author(id: "old", name: "old"))
        let graph = PostgresGraph(server.address, schema: schema) {
            Replicated(Book.self, "book", load: .atStart)
            Replicated(Author.self, "author")
        }
        try await graph.attach(to: cache)
        #expect(cache[Book.self, 1]?.title == "Dune")
        #expect(cache[Book.self, 2] == nil)
        #expect(cache[Author.self, "old"] == nil)
        #expect(try await cache.load(Author.self, id: "old") == nil)
    }

    @Test("The first load has no time limit, and other statements have one")
    func timeLimit() async throws {
        let first = try await Node(schema)
        try await first.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        // The rows show the limits under which they're read.
        try server.session().runScript(
            """
            ALTER TABLE \(schema).book RENAME TO _stored;
            CREATE VIEW \(schema).book AS SELECT id, version, form, value || jsonb_build_object(
                'title', current_setting('statement_timeout') || ' '
                    || current_setting('idle_in_transaction_session_timeout')) AS value
                FROM \(schema)._stored;
            """
        )
        let node = try await Node(schema, books: .atStart)
        #expect(node.cache[Book.self, 1]?.title == "0 0")
        let history = try server.session().run("SELECT incarnation FROM \(schema)._history")
        try server.session().run(
            "SELECT \(schema)._record($1::uuid, gen_random_uuid(), 'book', '{1}', '{}')",
            [SQLParameter(history.text(0, 0))]
        )
        try server.session().run(
            "UPDATE \(schema)._stored SET version = nextval('\(schema)._versions')"
        )
        try await node.synchronize()
        #expect(node.cache[Book.self, 1]?.title == "5min 5min")
    }

    @Test(
        "Schemas and types may have names that are keywords",
        arguments: ["order", "user", "select", "table", "all", "end", "default", "group"]
    )
    func keywords(_ word: String) async throws {
        let session = try server.session()
        let make = {
            PostgresGraph(PostgresServer.shared.address, schema: word) {
                Replicated(Book.self, word, load: .atStart)
                Replicated(Author.self, word + "s")
            }
        }
        let (cache, other) = (Cache(), Cache())
        try session.runScript(make().creationSQL)
        try session.runScript("CREATE ROLE \"node_\(word)\"")
        try session.runScript(make().grantingSQL(to: "node_\(word)"))
        let (graph, otherGraph) = (make(), make())
        try await graph.attach(to: cache)
        try await otherGraph.attach(to: other)
        try await graph.write { batch in
            for id in 1...3 { batch.insert(Book(id: id, title: "Dune")) }
            batch.insert(Author(id: word, name: word))
        }
        try await otherGraph.write { batch in
            for id in 1...2 {
                guard var book = try await batch.get(Book.self, id: id) else { throw Missing() }
                book.title = "Emma"
                batch.set(book)
            }
            _ = try await batch.get(Book.self, id: 3)
            batch.remove(Book.self, id: 3)
        }
        try await graph.wait(for: otherGraph.token(), timeout: hangLimit)
        #expect(cache[Book.self, 1]?.title == "Emma")
        #expect(cache[Book.self, 3] == nil)
        #expect(try await other.load(Author.self, id: word)?.name == word)
        await graph.clean()
        #expect(graph.statistics.lastError == nil && graph.statistics.failedNotificationCount == 0)
    }

    @Test("Statements of imports don't scan small tables, which may have grown when they run again")
    func plans() async throws {
        let node = try await Node(schema)
        for id in 1...20 {
            try await node.graph.write { $0.insert(Book(id: id, title: "\(id)")) }
        }
        try server.session().runScript("ANALYZE \(schema).book; ANALYZE \(schema)._log")
        for condition in ["book WHERE id = ANY('{1}')", "_log WHERE xid >= '99'"] {
            let plan = try await node.graph.engine.plan(of: "SELECT * FROM \(schema).\(condition)")
            #expect(!plan.contains("Seq Scan"), "\(plan)")
        }
    }
}

extension ReplicationEngine {
    /// Returns the plan of a statement on the engine's connection.
    fileprivate func plan(of statement: String) throws -> String {
        let rows = try #require(session).run("EXPLAIN \(statement)")
        return (0..<rows.count).map { rows.text($0, 0) }.joined(separator: "\n")
    }
}
#endif
