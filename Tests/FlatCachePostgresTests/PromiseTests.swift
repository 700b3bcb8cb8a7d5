#if canImport(CPostgres)
import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCachePostgres

/// Promises of the guide that no other suite names.
@Suite(.needsPostgres) struct PromiseTests {
    private let server = PostgresServer.shared
    private let schema = PostgresServer.shared.newSchema()

    private struct Measurement: Codable, Sendable, CacheEntity {
        var id: Int
        var value: Double
        var text = ""
    }

    @Test("Sessions commit to the disk, and end statements and waits that take long")
    func sessionSettings() throws {
        let address = server.address
        let configuration = PostgresConfiguration(
            connection: { address },
            schema: Schema(schema)
        )
        let session = try configuration.connect(
            address + " options='-c synchronous_commit=off -c search_path=public -c datestyle=SQL'"
        )
        func setting(_ name: String) throws -> String {
            try session.run("SELECT pg_catalog.current_setting($1)", [SQLParameter(name)]).text(
                0,
                0
            )
        }
        #expect(try setting("synchronous_commit") == "on")
        #expect(try setting("search_path") == "\"\"")
        #expect(try setting("transaction_isolation") == "read committed")
        // Other styles write zones that the server doesn't read as it has written them.
        #expect(try setting("datestyle").hasPrefix("ISO"))
        #expect(try setting("statement_timeout") == "30s")
        #expect(try setting("lock_timeout") == "15s")
        #expect(try setting("idle_in_transaction_session_timeout") == "30s")
    }

    @Test("The connection string is asked for anew for each connection")
    func rotatingCredentials() async throws {
        let count = Locked(0)
        let address = server.address + " application_name=rotating_\(schema)"
        let configuration = PostgresConfiguration(
            connection: {
                count.withLock { $0 += 1 }
                return address
            },
            schema: Schema(schema)
        )
        let node = try await Node(schema, configuration) { Replicated(Book.self, "book") }
        try await node.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        let before = count.withLock(\.self)
        try await node.graph.write { batch in
            guard try await batch.get(Book.self, id: 1) != nil else { throw Missing() }
        }
        #expect(count.withLock(\.self) == before)
        try server.session().runScript(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'rotating_\(schema)'
            """
        )
        try await retry { try await node.graph.write { $0.insert(Book(id: 2, title: "Emma")) } }
        #expect(count.withLock(\.self) > before)
    }

    @Test("Numbers return as they were, except negative zero, and large rows are refused")
    func values() async throws {
        let node = try await Node(schema) { Replicated(Measurement.self, "measurement") }
        let numbers = [1e308, -1.7976931348623157e308, .leastNormalMagnitude, 0.1, -0.0]
        try await node.graph.write { batch in
            for (id, value) in numbers.enumerated() {
                batch.insert(Measurement(id: id, value: value))
            }
        }
        for (id, value) in numbers.enumerated() {
            #expect(node.cache[Measurement.self, id]?.value == value)
        }
        #expect(node.cache[Measurement.self, 4]?.value.sign == .plus)
        await #expect {
            try await node.graph.write { batch in
                let text = String(repeating: "x", count: 16_000_000)
                batch.insert(Measurement(id: 9, value: 0, text: text))
            }
        } throws: {
            let error = $0 as? PostgresGraphError
            return error?.kind == .encoding && error?.keys == [CacheKey(Measurement.self, id: 9)]
        }
    }

    @Test("Nodes that start at the same time create the schema once")
    func concurrentCreation() async throws {
        try await withThrowingTaskGroup(of: Node.self) { group in
            for _ in 0..<6 { group.addTask { [schema] in try await Node(schema) } }
            for try await node in group { #expect(node.graph.statistics.importCount > 0) }
        }
        let node = try await Node(schema)
        try await node.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        #expect(node.cache[Book.self, 1]?.title == "Dune")
    }

    @Test("Rows that trimming removed are loaded on demand, also of a type loaded at the start")
    func trimming() async throws {
        let node = try await Node(schema, books: .atStart)
        try await node.graph.write { batch in
            for id in 1...20 { batch.insert(Book(id: id, title: "\(id)")) }
        }
        node.cache.trim(to: .count(0))
        #expect(node.cache.count(of: Book.self) == 0)
        #expect(try await node.cache.load(Book.self, id: 7)?.title == "7")
        let other = try await Node(schema)
        try await other.graph.write { batch in
            guard var book = try await batch.get(Book.self, id: 8) else { throw Missing() }
            book.title = "changed"
            batch.set(book)
        }
        try await node.synchronize()
        #expect(node.cache[Book.self, 8]?.title == "changed")
    }

    @Test("A write of more than 10,000 rows reaches the rows that a node has loaded")
    func manyRows() async throws {
        let node = try await Node(schema)
        try await node.graph.write { $0.insert(Book(id: 0, title: "Dune")) }
        let other = try await Node(schema)
        try await other.graph.write { batch in
            guard var book = try await batch.get(Book.self, id: 0) else { throw Missing() }
            book.title = "Emma"
            batch.set(book)
            for id in 1...10_000 { batch.insert(Book(id: id, title: "\(id)")) }
        }
        try await node.synchronize()
        #expect(node.cache[Book.self, 0]?.title == "Emma")
        #expect(node.cache.count(of: Book.self) == 1)
    }

    @Test("Of an update and a removal of one row at the same time, each counts or meets the other")
    func updateAndRemoval() async throws {
        let nodes = [try await Node(schema), try await Node(schema)]
        for id in 1...20 {
            try await nodes[0].graph.write { $0.insert(Book(id: id, title: "Dune")) }
            async let update = nodes[0].graph.write { batch in
                guard var book = try await batch.get(Book.self, id: id) else { return }
                book.copies += 1
                batch.set(book)
            }
            async let removal = nodes[1].graph.write { batch in
                guard try await batch.get(Book.self, id: id) != nil else { throw Missing() }
                batch.remove(Book.self, id: id)
            }
            _ = try await (update, removal)
            for node in nodes {
                try await node.synchronize()
                #expect(node.cache[Book.self, id] == nil)
            }
        }
    }

    @Test("An insertion that always meets a row ends with an error that names it")
    func repeatedInsertion() async throws {
        let node = try await Node(schema)
        try await node.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        let runs = Locked(0)
        await #expect {
            try await node.graph.write { batch in
                runs.withLock { $0 += 1 }
                batch.insert(Book(id: 1, title: "Emma"))
            }
        } throws: {
            let error = $0 as? PostgresGraphError
            return error?.kind == .conflict && error?.keys == [CacheKey(Book.self, id: 1)]
                && error?.reason.contains("exists already") == true
        }
        #expect(runs.withLock(\.self) == 2)
    }

    @Test("A graph that ends waits for the writes that have begun")
    func draining() async throws {
        let node = try await Node(schema)
        let events = Recorder<String>()
        let (begun, ended) = (Signal(), Signal())
        let running = Task {
            try await node.graph.run()
            events.append("run")
        }
        let writing = Task {
            try await node.graph.write { batch in
                batch.insert(Book(id: 1, title: "Dune"))
                begun.fire()
                await untilFired(ended)
                events.append("write")
            }
        }
        await untilFired(begun)
        running.cancel()
        ended.fire()
        try await running.value
        #expect(events.all == ["write", "run"])
        #expect(try await writing.value.isShown)
    }

    @Test("Writes that begin while a graph ends don't delay its end")
    func drainingUnderLoad() async {
        let writes = ActiveWrites()
        let ends = Recorder<String>()
        func end(_ name: String) async {
            Task {
                await writes.end()
                ends.append(name)
            }
            #expect(await until { writes.isEnding })
        }
        let first = writes.begin()
        await end("first")
        let second = writes.begin()
        writes.finish(first)
        #expect(await until { ends.all == ["first"] })
        await end("second")
        writes.finish(second)
        #expect(await until { ends.all == ["first", "second"] })
    }

    /// Waits on a thread that isn't one of the concurrency pool.
    private func untilFired(_ signal: Signal) async {
        _ = try? await onOwnThread { signal.wait() }
    }
}

/// Answers and statements that watched tables meet.
@Suite(.needsPostgres) struct WatchedPromiseTests {
    private let schema = PostgresServer.shared.newSchema()

    private func node() async throws -> (node: Node, session: Session, table: String) {
        let session = try PostgresServer.shared.session()
        let table = "public.readers_\(schema)"
        try session.runScript("CREATE TABLE \(table) (id int PRIMARY KEY, name text)")
        let node = try await Node(schema) { Watched(Customer.self, table: table, id: "id") }
        try session.runScript(node.graph.watchingSQL)
        try session.runScript("INSERT INTO \(table) VALUES (1, 'Ada'), (2, 'Bob')")
        try await node.synchronize()
        return (node, session, table)
    }

    @Test("The late answer of a load doesn't undo a change")
    func lateAnswer() async throws {
        let (node, session, table) = try await node()
        let (begun, ended) = (Signal(), Signal())
        node.cache.setLoader(for: Customer.self) { ids in
            begun.fire()
            _ = try await onOwnThread { ended.wait() }
            return ids.map { Customer(id: $0, name: "old") }
        }
        let loading = Task { try await node.cache.load(Customer.self, ids: [1, 2]) }
        _ = try await onOwnThread { begun.wait() }
        try session.runScript(
            "UPDATE \(table) SET name = 'Eve' WHERE id = 1; DELETE FROM \(table) WHERE id = 2"
        )
        try await node.synchronize()
        ended.fire()
        _ = try? await loading.value
        let isFresh =
            node.cache[Customer.self, 1] != nil
            && !node.cache.freshness(of: Customer.self, id: 1).isStale
        #expect(!isFresh)
        #expect(node.cache[Customer.self, 2] == nil)
    }

    @Test(
        "Statements that insert and update, and copies, count as changes",
        arguments: [
            """
            INSERT INTO TABLE VALUES (1, 'Eve'), (3, 'Eve')
            ON CONFLICT (id) DO UPDATE SET name = 'Eve'
            """,
            """
            MERGE INTO TABLE AS old USING (VALUES (1, 'Eve')) AS new (id, name) ON old.id = new.id
            WHEN MATCHED THEN UPDATE SET name = new.name WHEN NOT MATCHED THEN INSERT VALUES (1, '')
            """,
            "UPDATE TABLE SET name = 'Eve' WHERE id = 1",
            "WITH gone AS (DELETE FROM TABLE WHERE id = 2) UPDATE TABLE SET name = 'E' WHERE id = 1",
        ]
    )
    func statements(_ statement: String) async throws {
        let (node, session, table) = try await node()
        for id in 1...2 { node.cache.set(Customer(id: id, name: "old")) }
        try session.run(statement.replacing("TABLE", with: table))
        try await node.synchronize()
        #expect(node.cache.freshness(of: Customer.self, id: 1).isStale == true)
        if statement.contains("gone") {
            #expect(node.cache[Customer.self, 2] == nil)
        } else {
            #expect(node.cache.freshness(of: Customer.self, id: 2).isStale == false)
        }
    }

    @Test("A table without its triggers is reported when the graph is attached")
    func missingTriggers() async throws {
        let (node, session, table) = try await node()
        func reports() async throws -> [String] {
            let reported = Recorder<String>()
            let address = node.server.address
            let configuration = PostgresConfiguration(
                connection: { address },
                schema: Schema(schema)
            )
            _ = try await Node(
                schema,
                configuration,
                onEvent: { if case .unwatched(let table) = $0 { reported.append(table) } }
            ) {
                Watched(Customer.self, table: table, id: "id")
            }
            return reported.all
        }
        #expect(try await reports().isEmpty)
        try session.runScript("DROP TABLE \(table)")
        #expect(try await reports() == [table])
    }

    @Test("Copied rows count as changes")
    func copies() async throws {
        let (node, session, table) = try await node()
        node.cache.set(Customer(id: 3, name: "old"))
        try session.runScript("COPY \(table) FROM PROGRAM 'echo 3,Cyd' WITH (FORMAT csv)")
        try await node.synchronize()
        #expect(node.cache.freshness(of: Customer.self, id: 3).isStale == true)
    }
}
#endif
