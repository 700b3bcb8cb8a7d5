#if canImport(CPostgres)
import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCachePostgres

@Suite(.needsPostgres) struct SilentServerTests {
    @Test("A server that no longer answers counts as lost, and the node catches up")
    func silence() async throws {
        let server = PostgresServer.shared
        let proxy = try PostgresProxy(of: server)
        let schema = server.newSchema()
        var configuration = PostgresConfiguration(
            connection: { [address = proxy.address] in address },
            schema: Schema(schema)
        )
        configuration.answerTimeout = .seconds(1)
        configuration.connectTimeout = .seconds(2)
        // A busy machine may be as slow as a silent server.
        let cache = Cache()
        let graph = PostgresGraph(
            configuration,
            connections: 1,
            { _ in },
            PostgresGraphBuilder.buildBlock(
                PostgresGraphBuilder.buildExpression(
                    Replicated(Book.self, "book", load: .atStart)
                )
            )
        )
        try await retry { try await graph.attach(to: cache) }
        let other = try await Node(schema)
        proxy.isSilent = true
        try await other.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        await #expect { _ = try await graph.token() } throws: {
            ($0 as? PostgresGraphError)?.kind == .disconnected
        }
        await #expect {
            try await graph.write { $0.insert(Book(id: 2, title: "Emma")) }
        } throws: { ($0 as? PostgresGraphError)?.kind == .disconnected }
        await #expect {
            try await graph.wait(for: "\(UUID()).1", timeout: .milliseconds(1))
        } throws: {
            ($0 as? PostgresGraphError).map { [.timeout, .disconnected].contains($0.kind) } ?? false
        }
        proxy.isSilent = false
        try await retry { _ = try await graph.token() }
        #expect(cache[Book.self, 1]?.title == "Dune")
        #expect(graph.statistics.resynchronizationCount == 0)
    }

    @Test("A listener that the server's notifications don't reach sees changes within a poll")
    func droppedNotifications() async throws {
        let server = PostgresServer.shared
        let proxy = try PostgresProxy(of: server, dropsNotifications: true)
        let schema = server.newSchema()
        let node = try await Node(schema, address: proxy.address) {
            Replicated(Book.self, "book", load: .atStart)
        }
        let other = try await Node(schema)
        let titles = Recorder<String>()
        let observation = node.cache.cached(Book.self, id: 1).observe { titles.append($0.title) }
        defer { observation.dispose() }
        let running = Task { try await node.graph.run() }
        defer { running.cancel() }
        try await other.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        #expect(await until { titles.all == ["Dune"] })
        #expect(await until { proxy.droppedNotifications.withLock { $0 > 0 } })
        #expect(node.graph.statistics.lastError == nil)
    }

    @Test("A listener that no longer hears the server connects again, and the node catches up")
    func deafListener() async throws {
        let server = PostgresServer.shared
        let proxy = try PostgresProxy(of: server)
        let schema = server.newSchema()
        var configuration = PostgresConfiguration(
            connection: { [address = proxy.address] in address },
            schema: Schema(schema)
        )
        configuration.answerTimeout = .seconds(2)
        let errors = Recorder<PostgresGraphError>()
        // A busy machine may be as slow as a silent server.
        let node = try await retry {
            try await Node(
                schema,
                configuration,
                onEvent: { if case .disconnected(let error) = $0 { errors.append(error) } }
            ) {
                Replicated(Book.self, "book", load: .atStart)
            }
        }
        errors.removeAll()
        let other = try await Node(schema)
        let titles = Recorder<String>()
        let observation = node.cache.cached(Book.self, id: 1).observe { titles.append($0.title) }
        defer { observation.dispose() }
        let running = Task { try await node.graph.run() }
        defer { running.cancel() }
        #expect(await until { proxy.listenerCount.withLock { $0 > 0 } })
        proxy.deafen()
        try await other.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        #expect(await until { titles.all == ["Dune"] })
        #expect(errors.count > 0 && errors.all.allSatisfy { $0.disconnectedSince != nil })
        #expect(node.graph.statistics.lastError?.kind == .disconnected)
        #expect(node.graph.statistics.resynchronizationCount == 0)
        try await other.graph.write { batch in
            guard var book = try await batch.get(Book.self, id: 1) else { throw Missing() }
            book.title = "Emma"
            batch.set(book)
        }
        #expect(await until { titles.all == ["Dune", "Emma"] })
    }

    @Test("A silent first host of two doesn't keep a node from the second one")
    func silentHost() async throws {
        let server = PostgresServer.shared
        let silent = try PostgresProxy(of: server)
        silent.isSilent = true
        let address = """
            host=\(silent.folder),\(server.folder) user=postgres dbname=postgres \
            target_session_attrs=read-write
            """
        let schema = server.newSchema()
        var configuration = PostgresConfiguration(
            connection: { address },
            schema: Schema(schema)
        )
        configuration.connectTimeout = .seconds(2)
        // Without a limit for each host, the node would wait forever.
        let titles = Recorder<String?>()
        let work = Task { [configuration] in
            let node = try await retry {
                try await Node(schema, configuration) { Replicated(Book.self, "book") }
            }
            try await retry {
                try await node.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
            }
            titles.append(node.cache[Book.self, 1]?.title)
        }
        #expect(await until { titles.all == ["Dune"] })
        work.cancel()
    }

    @Test("After a first load that was cut off, another one shows what has changed since")
    func firstLoad() async throws {
        let server = PostgresServer.shared
        let proxy = try PostgresProxy(of: server)
        let schema = server.newSchema()
        let first = try await Node(schema)
        try await first.graph.write { batch in
            for id in ["kept", "changed", "removed"] { batch.insert(Author(id: id, name: "old")) }
            for id in 0..<1_000 {
                batch.insert(Book(id: id, title: String(repeating: "x", count: 200)))
            }
        }
        let cache = Cache()
        let graph = PostgresGraph(proxy.address, schema: schema) {
            Replicated(Author.self, "author", load: .atStart)
            Replicated(Book.self, "book", load: .atStart)
        }
        // The authors arrive, and the books don't.
        proxy.cutOff(after: 100_000)
        await #expect { try await graph.attach(to: cache) } throws: {
            ($0 as? PostgresGraphError)?.kind == .disconnected
        }
        #expect(cache.count(of: Author.self) == 0)
        try await first.graph.write { batch in
            _ = try await batch.get(Author.self, id: "removed")
            batch.remove(Author.self, id: "removed")
            _ = try await batch.get(Author.self, id: "changed")
            batch.set(Author(id: "changed", name: "new"))
        }
        try await graph.attach(to: cache)
        #expect(cache.count(of: Book.self) == 1_000)
        #expect(cache.count(of: Author.self) == 2)
        #expect(cache[Author.self, "changed"]?.name == "new")
    }

    @Test("A write whose connection is lost while it waits counts once")
    func lostWhileWaiting() async throws {
        let server = PostgresServer.shared
        let schema = server.newSchema()
        let node = try await Node(schema)
        try await node.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        let session = try server.session()
        try session.runScript("BEGIN; SELECT 1 FROM \(schema).book FOR UPDATE")
        let write = Task {
            try await node.graph.write { batch in
                guard var book = try await batch.get(Book.self, id: 1) else { throw Missing() }
                book.copies += 1
                batch.set(book)
                batch.insert(Order(id: UUID(), book: 1))
            }
        }
        let observer = try server.session()
        let waiting = """
            SELECT pid FROM pg_stat_activity
            WHERE wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'
            """
        var found: Int64?
        while found == nil {
            let rows = try observer.run(waiting, [SQLParameter(schema)])
            if rows.count > 0 { found = rows.integer(0, 0) }
            try await Task.sleep(for: .milliseconds(5))
        }
        try observer.run("SELECT pg_terminate_backend($1::int)", [SQLParameter("\(found ?? 0)")])
        try session.run("COMMIT")
        _ = try await write.value
        let orders = try observer.run("SELECT count(*) FROM \(schema).orders")
        #expect(orders.integer(0, 0) == 1)
        #expect(node.cache[Book.self, 1]?.copies == 1)
    }

    @Test("Writes to the same rows of several types never wait for each other")
    func deadlocks() async throws {
        let server = try PostgresServer()
        let nodes = [
            try await Node("shop", server) {
                Replicated(Book.self, "book")
                Replicated(Author.self, "author")
            },
            try await Node("shop", server) {
                Replicated(Author.self, "author")
                Replicated(Book.self, "book")
            },
        ]
        try await nodes[0].graph.write { batch in
            for id in 0..<4 {
                batch.insert(Book(id: id, title: ""))
                batch.insert(Author(id: "\(id)", name: ""))
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for round in 0..<5 {
                        try await nodes[writer % 2].graph.write(attempts: 1_000) { batch in
                            let ids = (0..<4).map { (writer % 3 == 0 ? 3 - $0 : $0 + round) % 4 }
                            for id in ids.prefix(1 + writer % 4) {
                                guard var book = try await batch.get(Book.self, id: id) else {
                                    throw Missing()
                                }
                                book.copies += 1
                                batch.set(book)
                            }
                            for id in ids.suffix(1 + round % 4) {
                                guard
                                    var author = try await batch.get(Author.self, id: "\(id)")
                                else { throw Missing() }
                                author.name += "x"
                                batch.set(author)
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let session = try server.session()
        let copies = try session.run("SELECT sum((value->>'copies')::int) FROM shop.book")
        #expect(copies.integer(0, 0) == 5 * (0..<8).reduce(0) { $0 + 1 + $1 % 4 })
        let deadlocks = try session.run("SELECT sum(deadlocks)::bigint FROM pg_stat_database")
        #expect(deadlocks.integer(0, 0) == 0)
    }
}
#endif
