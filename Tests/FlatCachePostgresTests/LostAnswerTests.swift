#if canImport(CPostgres)
import FlatCache
import TestSupport
import Testing

@testable import FlatCachePostgres

/// Writes whose statements or answers are lost.
@Suite(.needsPostgres) struct LostAnswerTests {
    private let server = PostgresServer.shared
    private let schema = PostgresServer.shared.newSchema()

    private func increase(_ node: Node) async throws {
        try await node.graph.write { batch in
            guard var book = try await batch.get(Book.self, id: 1) else { throw Missing() }
            book.copies += 1
            batch.set(book)
        }
    }

    @Test(
        "A write whose answers are lost counts once",
        arguments: [
            [.commit], [.commit, .resolution], [.commit, .resolution, .resolution],
            [.attempt, .commit], [.attempt, .resolution, .commit],
            [.attempt, .resolution, .commit, .resolution, .resolution],
            [.attempt, .attempt, .resolution, .commit],
        ] as [[PostgresProxy.Loss]]
    )
    func losses(_ losses: [PostgresProxy.Loss]) async throws {
        let proxy = try PostgresProxy(of: server)
        let node = try await Node(schema, address: proxy.address) { Replicated(Book.self, "book") }
        try await node.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        for _ in 0..<2 {
            proxy.losses = losses
            try await increase(node)
            #expect(proxy.losses.isEmpty)
        }
        #expect(node.cache[Book.self, 1]?.copies == 2)
        #expect(node.graph.statistics.conflictCount == 0)
        let rows = try server.session().run("SELECT value->'copies' FROM \(schema).book")
        #expect(rows.integer(0, 0) == 2)
    }

    @Test("A write whose statements never arrive isn't committed")
    func lostAttempts() async throws {
        let proxy = try PostgresProxy(of: server)
        let node = try await Node(schema, address: proxy.address) { Replicated(Book.self, "book") }
        try await node.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        proxy.losses = [.attempt, .resolution, .attempt, .attempt, .resolution]
        await #expect { try await increase(node) } throws: {
            ($0 as? PostgresGraphError)?.kind == .disconnected
        }
        #expect(proxy.losses.isEmpty)
        try await increase(node)
        #expect(node.cache[Book.self, 1]?.copies == 1)
    }

    /// Ends the connections of a node of the schema.
    private func closeConnections(_ session: Session) throws {
        let rows = try session.run(
            """
            SELECT pg_terminate_backend(pid, 600000) FROM pg_stat_activity
            WHERE application_name = $1
            """,
            [SQLParameter("closed_\(schema)")]
        )
        #expect((0..<rows.count).contains { rows.flag($0, 0) })
    }

    @Test("Connections that the server has closed meanwhile disturb neither writes nor loads")
    func closedConnections() async throws {
        let address = server.address + " application_name=closed_\(schema)"
        let node = try await Node(schema, address: address) { Replicated(Book.self, "book") }
        let session = try server.session()
        try closeConnections(session)
        let receipt = try await node.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        #expect(receipt.isShown)
        try closeConnections(session)
        #expect(try await node.cache.load(Book.self, id: 2) == nil)
        try closeConnections(session)
        try await node.graph.wait(for: receipt.token, timeout: hangLimit)
        try closeConnections(session)
        try await increase(node)
        #expect(node.cache[Book.self, 1]?.copies == 1)
        #expect(node.graph.statistics.disconnectedSince == nil)
    }

    @Test(
        "Locks that others hold for long make loads fail, and aren't conflicts",
        arguments: ["book", "_history"]
    )
    func locks(_ table: String) async throws {
        let address = server.address + " application_name=closed_\(schema)"
        let node = try await Node(schema, address: address) { Replicated(Book.self, "book") }
        // The table fails as after a long wait. The next connection reads the history first.
        let session = try server.session()
        try session.runScript(
            """
            ALTER TABLE \(schema).\(table) RENAME TO _locked;
            CREATE FUNCTION \(schema)._wait() RETURNS boolean LANGUAGE plpgsql AS
                'BEGIN RAISE lock_not_available; END';
            CREATE VIEW \(schema).\(table) AS
                SELECT * FROM (SELECT \(schema)._wait()) AS wait, \(schema)._locked;
            """
        )
        try closeConnections(session)
        await #expect { try await node.cache.load(Book.self, id: 1) } throws: {
            let error = $0 as? PostgresGraphError
            return error?.kind == .disconnected && error?.sqlState == "55P03"
        }
    }

    @Test("The pause after an outage ends with the first write that's committed")
    func pause() async throws {
        let node = try await Node(schema)
        await node.graph.engine.beginPause()
        await #expect { try await node.cache.load(Book.self, id: 1) } throws: {
            ($0 as? PostgresGraphError)?.kind == .disconnected
        }
        let receipt = try await node.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        #expect(receipt.isShown)
        #expect(try await node.cache.load(Book.self, id: 2) == nil)
    }
}

extension ReplicationEngine {
    /// Loses the connection, and doesn't connect again for an hour.
    fileprivate func beginPause() {
        disconnect(PostgresGraphError(.disconnected, "The test has lost the connection."))
        pauseEnd = .now + .seconds(3_600)
    }
}
#endif
