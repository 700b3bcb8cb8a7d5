#if canImport(CPostgres)
import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCachePostgres

@Suite(.needsPostgres) struct RecoveryTests {
    private func insert(_ id: Int, _ title: String, _ node: Node) async throws {
        try await node.graph.write { $0.insert(Book(id: id, title: title)) }
    }

    @Test("After a crash of the server, a node catches up")
    func crash() async throws {
        let server = try PostgresServer()
        let first = try await Node("shop", server) { Replicated(Book.self, "book", load: .atStart) }
        try await insert(1, "Dune", first)
        try server.stop()
        await #expect {
            try await first.graph.wait(for: "\(UUID()).1", timeout: hangLimit)
        } throws: {
            ($0 as? PostgresGraphError)?.kind == .disconnected
        }
        #expect(first.cache[Book.self, 1]?.title == "Dune")
        #expect(first.graph.statistics.disconnectedSince != nil)
        try server.start()
        let second = try await Node("shop", server) { Replicated(Book.self, "book") }
        try await insert(2, "Emma", second)
        try await retry { try await first.synchronize() }
        #expect(first.cache[Book.self, 2]?.title == "Emma")
        #expect(first.graph.statistics.disconnectedSince == nil)
        #expect(first.graph.statistics.resynchronizationCount == 0)
        try await insert(3, "Ubik", first)
        #expect(first.cache[Book.self, 3]?.title == "Ubik")
    }

    @Test("A crash right after a write isn't taken for a restored backup")
    func crashAfterWrite() async throws {
        let server = try PostgresServer()
        let node = try await Node("shop", server) { Replicated(Book.self, "book", load: .atStart) }
        for id in 1...3 {
            try await insert(id, "Dune", node)
            let token = try await node.graph.write { $0.insert(Book(id: -id, title: "Emma")) }.token
            // The transaction that notifies has a number, and may not be on disk.
            try server.stop()
            try server.start()
            try await retry { try await node.graph.wait(for: token, timeout: .seconds(10)) }
        }
        #expect(node.graph.statistics.resynchronizationCount == 0)
    }

    @Test("The token of a write that changes nothing outlives a crash")
    func crashAfterDecision() async throws {
        let server = try PostgresServer()
        let node = try await Node("shop", server) { Replicated(Book.self, "book") }
        var tokens = [try await node.graph.token()]
        try await insert(1, "Dune", node)
        // The transaction that has notified may not be on disk.
        tokens.append(try await node.graph.token())
        try server.stop()
        try server.start()
        for token in tokens {
            try await retry { try await node.graph.wait(for: token, timeout: hangLimit) }
        }
    }

    @Test("A load of a missing row fails while the server is away, and isn't an absence")
    func outage() async throws {
        let server = try PostgresServer()
        let node = try await Node("shop", server) { Replicated(Book.self, "book") }
        try await insert(1, "Dune", node)
        try server.stop()
        await #expect { try await node.cache.load(Book.self, id: 2) } throws: {
            let error = $0 as? PostgresGraphError
            return error?.kind == .disconnected
        }
        #expect(try await node.cache.load(Book.self, id: 1)?.title == "Dune")
    }

    @Test("A database of another history is read again, and its log is emptied")
    func otherHistory() async throws {
        let server = try PostgresServer()
        let node = try await Node("shop", server) { Replicated(Book.self, "book", load: .atStart) }
        let other = try await Node("shop", server) { Replicated(Book.self, "book") }
        for id in 1...3 { try await insert(id, "Book \(id)", node) }
        let token = try await node.graph.token()
        _ = try await other.cache.load(Book.self, id: 1)
        // As after a dump was restored into another cluster: a row is older, one is gone, and one
        // is back, with versions that memory knows, and the log has records of the future.
        let session = try server.session()
        try session.runScript(
            """
            UPDATE shop._history SET system = '1';
            UPDATE shop.book SET value = '{"id": 1, "title": "Restored", "copies": 0}' WHERE id = 1;
            DELETE FROM shop.book WHERE id = 2;
            INSERT INTO shop.book VALUES (4, 1, 1, '{"id": 4, "title": "Back", "copies": 0}');
            UPDATE shop._log SET xid = '99999999999' WHERE type = 'book';
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid();
            """
        )
        for node in [node, other] { try await retry { try await node.synchronize() } }
        #expect(node.cache[Book.self, 1]?.title == "Restored")
        #expect(node.cache[Book.self, 2] == nil)
        #expect(node.cache[Book.self, 3]?.title == "Book 3")
        #expect(node.cache[Book.self, 4]?.title == "Back")
        #expect(other.cache[Book.self, 1]?.title == "Restored")
        #expect(node.graph.statistics.resynchronizationCount == 1)
        #expect(
            try session.run("SELECT 1 FROM shop._log WHERE xid = '99999999999'").count == 0
        )
        await #expect { try await node.graph.wait(for: token, timeout: hangLimit) } throws: {
            ($0 as? PostgresGraphError)?.kind == .otherHistory
        }
        // One of the nodes has renewed the history, and the other one has found it renewed.
        let systems = try session.run("SELECT count(*) FROM shop._history WHERE system <> '1'")
        #expect(systems.integer(0, 0) == 1)
        try await insert(5, "After", other)
        try await node.synchronize()
        #expect(node.cache[Book.self, 5]?.title == "After")
        // A history that's renewed while all connections are open.
        try session.runScript("UPDATE shop._history SET incarnation = gen_random_uuid()")
        try await retry { try await insert(6, "Renewed", other) }
        try await retry { try await node.synchronize() }
        #expect(node.cache[Book.self, 6]?.title == "Renewed")
    }

    @Test("Records that were deleted before a node read them make it read its rows again")
    func deletedRecords() async throws {
        let server = try PostgresServer()
        let node = try await Node("shop", server) { Replicated(Book.self, "book") }
        let other = try await Node("shop", server) { Replicated(Book.self, "book") }
        try await insert(1, "Dune", node)
        try await other.graph.write { batch in
            guard var book = try await batch.get(Book.self, id: 1) else { throw Missing() }
            book.title = "Messiah"
            batch.set(book)
        }
        try server.session().runScript(
            """
            UPDATE shop._history SET deleted = pg_snapshot_xmax(pg_current_snapshot());
            DELETE FROM shop._log;
            """
        )
        try await node.synchronize()
        #expect(node.cache[Book.self, 1]?.title == "Messiah")
        #expect(node.graph.statistics.resynchronizationCount == 1)
    }

    @Test("A node cleans records that an hour has passed over, and no others")
    func cleaning() async throws {
        let server = try PostgresServer()
        let node = try await Node("shop", server) { Replicated(Book.self, "book") }
        try await insert(1, "Dune", node)
        let session = try server.session()
        // A transaction that began long ago and commits much later.
        let old = try server.session()
        try old.run("BEGIN")
        let incarnation = try session.run("SELECT incarnation FROM shop._history").text(0, 0)
        try old.run(
            "SELECT shop._record($1::uuid, gen_random_uuid(), 'book', '{1}', '{}')",
            [SQLParameter(incarnation)]
        )
        try await insert(2, "Emma", node)
        await node.graph.clean()
        try session.runScript("UPDATE shop._horizons SET taken = taken - interval '2 hours'")
        await node.graph.clean()
        // The record of the first insert is older than all transactions that ran then.
        #expect(try session.run("SELECT 1 FROM shop._log").count == 1)
        try old.run("COMMIT")
        #expect(try session.run("SELECT 1 FROM shop._log WHERE stored = '{1}'").count == 1)
        try await node.synchronize()
        #expect(node.graph.statistics.resynchronizationCount == 0)
    }
}

@Suite(.needsPostgres) struct RightsTests {
    @Test("A role with the granted rights runs a node, and can't create the schema")
    func role() async throws {
        let server = try PostgresServer()
        let session = try server.session()
        try session.runScript("CREATE ROLE node LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        let address = "host=\(server.folder) user=node dbname=postgres"
        let make = {
            PostgresGraph(address, schema: "shop") { Replicated(Book.self, "book", load: .atStart) }
        }
        await #expect { try await make().attach(to: Cache()) } throws: {
            ($0 as? PostgresGraphError)?.kind == .schema
        }
        let graph = make()
        try session.runScript(graph.creationSQL)
        try session.runScript(graph.grantingSQL(to: "node"))
        let cache = Cache()
        try await graph.attach(to: cache)
        try await graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        try await graph.write { batch in
            _ = try await batch.get(Book.self, id: 1)
            batch.remove(Book.self, id: 1)
        }
        await graph.clean()
        try await graph.wait(for: graph.token(), timeout: hangLimit)
        #expect(cache[Book.self, 1] == nil)
        #expect(graph.statistics.lastError == nil)
    }

    @Test("An error never quotes the connection string")
    func password() async throws {
        for address in [
            "host=/nowhere password=secret", "password='secret", "postgres://a:secret@",
            // Passwords with characters that aren't escaped.
            "postgres://a:x@secret@/shop", "postgresql://a:secret/x@/shop",
        ] {
            let graph = PostgresGraph(address) { Replicated(Book.self, "book") }
            await #expect { try await graph.attach(to: Cache()) } throws: {
                !"\($0)".contains("secret")
            }
        }
    }
}
#endif
