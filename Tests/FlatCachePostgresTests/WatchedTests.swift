#if canImport(CPostgres)
import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCachePostgres

@Suite(.needsPostgres) struct WatchedTests {
    private let schema = PostgresServer.shared.newSchema()

    private func node(
        _ server: PostgresServer = .shared,
        watcher: String? = nil
    ) async throws -> (Node, Session) {
        let session = try server.session()
        let table = "public.customers_\(schema)"
        try session.runScript(
            "CREATE TABLE IF NOT EXISTS \(table) (id int PRIMARY KEY, name text)"
        )
        let name = watcher ?? schema
        let address = "\(server.address) application_name=\(name)"
        let node = try await Node(name, server, address: address) {
            Watched(Customer.self, table: table, id: "id")
        }
        try session.runScript(node.graph.watchingSQL)
        // The app's own loader reads the table.
        node.cache.setLoader(for: Customer.self) { ids in
            let session = try Session(address, connectTimeout: .seconds(60), timeout: hangLimit)
            let rows = try session.run(
                "SELECT id, name FROM \(table) WHERE id = ANY($1::int[])",
                [SQLParameter("{" + ids.map(String.init).joined(separator: ",") + "}")]
            )
            return (0..<rows.count).map {
                Customer(id: Int(rows.integer($0, 0)), name: rows.text($0, 1))
            }
        }
        return (node, session)
    }

    @Test("Rows that others change become stale, and deleted ones missing")
    func changes() async throws {
        let (node, session) = try await node()
        let table = "public.customers_\(schema)"
        try session.runScript("INSERT INTO \(table) VALUES (1, 'Ada'), (2, 'Bob'), (3, 'Cyd')")
        try await node.synchronize()
        for id in 1...3 { _ = try await node.cache.load(Customer.self, id: id) }
        try session.runScript(
            """
            UPDATE \(table) SET name = 'Eve' WHERE id = 1;
            DELETE FROM \(table) WHERE id = 2;
            """
        )
        #expect(node.cache[Customer.self, 1]?.name == "Ada")
        try await node.synchronize()
        #expect(node.cache.freshness(of: Customer.self, id: 1).isStale == true)
        #expect(node.cache[Customer.self, 2] == nil)
        #expect(node.cache.freshness(of: Customer.self, id: 3).isStale == false)
        #expect(try await node.cache.load(Customer.self, id: 1)?.name == "Eve")
        // A changed identifier is a removal and an insertion.
        try session.runScript("UPDATE \(table) SET id = 4 WHERE id = 3")
        try await node.synchronize()
        #expect(node.cache[Customer.self, 3] == nil)
        #expect(try await node.cache.load(Customer.self, id: 4)?.name == "Cyd")
        try session.runScript("TRUNCATE \(table)")
        try await node.synchronize()
        #expect(try await node.cache.load(Customer.self, id: 4) == nil)
    }

    @Test("A running node sees changes that nobody notifies, within a poll")
    func poll() async throws {
        let (node, session) = try await node()
        let table = "public.customers_\(schema)"
        try session.runScript("INSERT INTO \(table) VALUES (1, 'Ada')")
        _ = try await node.cache.load(Customer.self, id: 1)
        let (names, continuation) = AsyncStream.makeStream(of: String.self)
        let observation = node.cache.cached(Customer.self, id: 1).loading(.cacheFirst).observe {
            continuation.yield($0.name)
        }
        defer { observation.dispose() }
        let running = Task { try await node.graph.run() }
        defer { running.cancel() }
        var iterator = names.makeAsyncIterator()
        #expect(await iterator.next() == "Ada")
        try session.runScript("UPDATE \(table) SET name = 'Eve'")
        // The observer may be called with the former name when that becomes stale.
        while let name = await iterator.next(), name != "Eve" { #expect(name == "Ada") }
    }

    // MARK: After a lost connection

    /// Ends the connection of a node that imports.
    private func endConnection(of node: Node, _ session: Session) async throws {
        let names = [SQLParameter(node.schema)]
        try session.run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1
            """,
            names
        )
        let isOver = try await pollUntil("The server's processes end.") {
            try session.run("SELECT 1 FROM pg_stat_activity WHERE application_name = $1", names)
                .count == 0
        }
        #expect(isOver)
    }

    @Test("Rows that others change while the connection is lost become stale, or missing")
    func reconnection() async throws {
        let (node, session) = try await node()
        let table = "public.customers_\(schema)"
        try session.runScript("INSERT INTO \(table) VALUES (1, 'Ada'), (2, 'Bob'), (3, 'Cyd')")
        try await node.synchronize()
        try await endConnection(of: node, session)
        // The records of the last minute would make all rows stale.
        try session.runScript("UPDATE \(schema)._log SET written = written - interval '1 hour'")
        for id in 1...3 { _ = try await node.cache.load(Customer.self, id: id) }
        try session.runScript(
            """
            UPDATE \(table) SET name = 'Eve' WHERE id = 1;
            DELETE FROM \(table) WHERE id = 2;
            """
        )
        try await retry { try await node.synchronize() }
        #expect(node.cache.freshness(of: Customer.self, id: 1).isStale == true)
        #expect(node.cache[Customer.self, 2] == nil)
        #expect(node.cache.freshness(of: Customer.self, id: 3).isStale == false)
        #expect(node.graph.statistics.resynchronizationCount == 0)
        #expect(try await node.cache.load(Customer.self, id: 1)?.name == "Eve")
    }

    @Test("A removal that a node has seen before its connection was lost doesn't happen again")
    func repeatedRemoval() async throws {
        let (node, session) = try await node()
        let table = "public.customers_\(schema)"
        try session.runScript("INSERT INTO \(table) VALUES (1, 'Ada')")
        try session.runScript("DELETE FROM \(table)")
        try session.runScript("INSERT INTO \(table) VALUES (1, 'Eve')")
        try await node.synchronize()
        #expect(try await node.cache.load(Customer.self, id: 1)?.name == "Eve")
        try await endConnection(of: node, session)
        try await retry { try await node.synchronize() }
        #expect(node.cache[Customer.self, 1]?.name == "Eve")
    }

    @Test("Transaction numbers that a crashed server uses again hide no change")
    func reusedNumbers() async throws {
        let server = try PostgresServer()
        // The server forgets the numbers of transactions that it hasn't logged.
        for setting in ["wal_writer_delay = '10s'", "wal_level = minimal", "max_wal_senders = 0"] {
            try server.session().runScript("ALTER SYSTEM SET \(setting)")
        }
        try server.stop("fast")
        try server.start()
        let (node, session) = try await node(server)
        let books = try await Node("shop", server) { Replicated(Book.self, "book", load: .atStart) }
        let table = "public.customers_\(schema)"
        try session.runScript("INSERT INTO \(table) VALUES (1, 'Ada')")
        try await books.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        try await node.synchronize()
        _ = try await node.cache.load(Customer.self, id: 1)
        let useNumbers = Array(
            repeating: "BEGIN; SELECT pg_current_xact_id(); ROLLBACK;",
            count: 100
        ).joined()
        try session.runScript(useNumbers)
        for node in [node, books] { try await node.synchronize() }
        #expect(node.cache.freshness(of: Customer.self, id: 1).isStale == false)
        try server.stop()
        try server.start()
        let later = try server.session()
        try later.runScript("UPDATE \(table) SET name = 'Eve'")
        let writer = try await Node("shop", server) { Replicated(Book.self, "book") }
        try await writer.graph.write { batch in
            guard var book = try await batch.get(Book.self, id: 1) else { throw Missing() }
            book.title = "Emma"
            batch.set(book)
        }
        // Otherwise the numbers would have gone back, and the nodes would read everything again.
        for _ in 0..<2 { try later.runScript(useNumbers) }
        for node in [node, books] { try await retry { try await node.synchronize() } }
        #expect(node.cache.freshness(of: Customer.self, id: 1).isStale == true)
        #expect(books.cache[Book.self, 1]?.title == "Emma")
        #expect(node.graph.statistics.resynchronizationCount == 0)
        #expect(books.graph.statistics.resynchronizationCount == 0)
    }

    // MARK: Names

    @Test("Graphs of several schemas watch one table, whatever the length of their names")
    func severalWatchers() async throws {
        let start = schema + "_" + String(repeating: "x", count: 46 - schema.utf8.count)
        let (first, session) = try await node(watcher: start + "a")
        let (second, _) = try await node(watcher: start + "b")
        // Running the statements again changes nothing.
        try session.runScript(first.graph.watchingSQL)
        let table = "public.customers_\(schema)"
        let triggers = try session.run(
            "SELECT count(*) FROM pg_trigger WHERE tgrelid = '\(table)'::regclass"
        )
        #expect(triggers.integer(0, 0) == 8)
        try session.runScript("INSERT INTO \(table) VALUES (1, 'Ada'), (2, 'Bob')")
        for node in [first, second] {
            try await node.synchronize()
            for id in 1...2 { _ = try await node.cache.load(Customer.self, id: id) }
        }
        try session.runScript("UPDATE \(table) SET name = 'Eve' WHERE id = 1")
        try session.runScript("DELETE FROM \(table) WHERE id = 2")
        for node in [first, second] {
            try await node.synchronize()
            #expect(node.cache.freshness(of: Customer.self, id: 1).isStale == true)
            #expect(node.cache[Customer.self, 2] == nil)
        }
    }

    @Test("A watched table and its column may have names that are keywords, or need quotes")
    func quotedNames() async throws {
        let session = try PostgresServer.shared.session()
        let own = "\"Group \(schema)\""
        try session.runScript(
            """
            CREATE SCHEMA \(own);
            CREATE TABLE \(own)."table" ("or""der" int PRIMARY KEY, "select" text);
            """
        )
        let node = try await Node(schema) {
            Watched(Customer.self, table: "\(own).\"table\"", id: "or\"der")
        }
        try session.runScript(node.graph.watchingSQL)
        try await node.synchronize()
        node.cache.set(contentsOf: (1...3).map { Customer(id: $0, name: "") })
        try session.runScript(
            """
            INSERT INTO \(own)."table" VALUES (1, 'a');
            INSERT INTO \(own)."table" VALUES (2, 'a');
            """
        )
        try await node.synchronize()
        try session.run("DELETE FROM \(own).\"table\" WHERE \"or\"\"der\" = 2")
        try await node.synchronize()
        #expect(node.cache.freshness(of: Customer.self, id: 1).isStale == true)
        #expect(node.cache[Customer.self, 2] == nil)
        #expect(node.cache.freshness(of: Customer.self, id: 3).isStale == false)
        try session.runScript("TRUNCATE \(own).\"table\"")
        try await node.synchronize()
        #expect(node.cache.freshness(of: Customer.self, id: 3).isStale == true)
    }

    @Test("A row that was removed and inserted again between two imports isn't missing")
    func insertedAgain() async throws {
        let (node, session) = try await node()
        let table = "public.customers_\(schema)"
        try session.runScript("INSERT INTO \(table) VALUES (1, 'Ada')")
        try await node.synchronize()
        _ = try await node.cache.load(Customer.self, id: 1)
        // The import finds a transaction that runs, and a record of it later than that of the next.
        try session.runScript("BEGIN; DELETE FROM \(table) WHERE id = 1")
        try await node.synchronize()
        try session.runScript("COMMIT; INSERT INTO \(table) VALUES (1, 'Eve')")
        try await node.synchronize()
        #expect(node.cache[Customer.self, 1]?.name == "Ada")
        #expect(node.cache.freshness(of: Customer.self, id: 1).isStale == true)
    }

    @Test("A statement that changes many rows makes all of them stale")
    func manyRows() async throws {
        let (node, session) = try await node()
        let table = "public.customers_\(schema)"
        try session.runScript(
            "INSERT INTO \(table) SELECT id, 'Ada' FROM generate_series(1, 10001) AS id"
        )
        try await node.synchronize()
        for id in [1, 10_001] { _ = try await node.cache.load(Customer.self, id: id) }
        try session.runScript("UPDATE \(table) SET name = 'Eve'")
        try await node.synchronize()
        for id in [1, 10_001] {
            #expect(node.cache.freshness(of: Customer.self, id: id).isStale == true)
        }
        let log = "SELECT removed, stored FROM \(schema)._log ORDER BY written DESC LIMIT 1"
        let record = try session.run(log)
        #expect(record.array(0, 0) == [] && record.array(0, 1) == nil)
    }

    @Test("The triggers run no code of a role that may only write to the table")
    func searchPath() async throws {
        let (_, session) = try await node()
        let table = "public.customers_\(schema)"
        try session.runScript(
            """
            CREATE ROLE app_\(schema);
            GRANT SELECT, INSERT ON \(table) TO app_\(schema);
            GRANT TEMPORARY ON DATABASE postgres TO app_\(schema);
            SET ROLE app_\(schema);
            CREATE TEMPORARY TABLE roles (name text);
            CREATE FUNCTION pg_temp.note(value pg_catalog.text) RETURNS boolean
                LANGUAGE plpgsql AS $$ BEGIN
                    INSERT INTO pg_temp.roles VALUES (current_user);
                    RETURN true;
                END $$;
            CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (pg_temp.note(value));
            INSERT INTO \(table) VALUES (1, 'Ada');
            """
        )
        #expect(try session.run("SELECT count(*) FROM pg_temp.roles").integer(0, 0) == 0)
    }

    @Test("Statements that name a partition count, too")
    func partitions() async throws {
        let session = try PostgresServer.shared.session()
        let table = "public.\"O'Neil's \(schema)\""
        try session.runScript(
            """
            CREATE TABLE \(table) (id int PRIMARY KEY, name text) PARTITION BY RANGE (id);
            CREATE TABLE public.low_\(schema) PARTITION OF \(table) FOR VALUES FROM (0) TO (10);
            CREATE TABLE public.high_\(schema) PARTITION OF \(table) FOR VALUES FROM (10) TO (20);
            """
        )
        let node = try await Node(schema) { Watched(Customer.self, table: table, id: "id") }
        try session.runScript(node.graph.watchingSQL)
        try session.runScript("INSERT INTO \(table) VALUES (1, 'Ada'), (2, 'Bob'), (11, 'Cyd')")
        try await node.synchronize()
        for id in [1, 2, 11] { node.cache.set(Customer(id: id, name: "\(id)")) }
        // Once through a partition, once through the table, and once from one partition to another.
        try session.runScript(
            """
            UPDATE public.low_\(schema) SET name = 'Eve' WHERE id = 1;
            UPDATE \(table) SET id = 12 WHERE id = 2;
            DELETE FROM public.high_\(schema) WHERE id = 11;
            """
        )
        try await node.synchronize()
        #expect(node.cache.freshness(of: Customer.self, id: 1).isStale == true)
        #expect(node.cache[Customer.self, 2] == nil)
        #expect(node.cache[Customer.self, 11] == nil)
    }
}
#endif
