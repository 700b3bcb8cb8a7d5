#if canImport(CPostgres)
import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCachePostgres

@Suite(.needsPostgres) struct PostgresGraphTests {
    private let schema = PostgresServer.shared.newSchema()

    @Test("A write is shown by its node's cache when the method returns")
    func write() async throws {
        let node = try await Node(schema)
        let receipt = try await node.graph.write { batch in
            batch.insert(Book(id: 1, title: "Dune", copies: 3))
            return 7
        }
        #expect(receipt.value == 7)
        #expect(receipt.isShown)
        #expect(node.cache[Book.self, 1] == Book(id: 1, title: "Dune", copies: 3))
    }

    @Test("Another node shows a write after it has waited for its token")
    func token() async throws {
        let first = try await Node(schema, books: .atStart)
        let second = try await Node(schema, books: .atStart)
        let receipt = try await first.graph.write { batch in
            batch.insert(Book(id: 1, title: "Dune"))
        }
        try await second.graph.wait(for: receipt.token, timeout: hangLimit)
        #expect(second.cache[Book.self, 1]?.title == "Dune")
    }

    @Test("A running node shows the writes of others")
    func run() async throws {
        let first = try await Node(schema)
        let second = try await Node(schema, books: .atStart)
        let (titles, continuation) = AsyncStream.makeStream(of: String.self)
        let observation = second.cache.cached(Book.self, id: 1).observe {
            continuation.yield($0.title)
        }
        defer { observation.dispose() }
        let running = Task { try await second.graph.run() }
        defer { running.cancel() }
        try await first.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        var iterator = titles.makeAsyncIterator()
        #expect(await iterator.next() == "Dune")
        try await first.graph.write { batch in
            guard var book = try await batch.get(Book.self, id: 1) else { throw Missing() }
            book.title = "Dune Messiah"
            batch.set(book)
        }
        #expect(await iterator.next() == "Dune Messiah")
    }

    @Test("A row that memory lacks is read by a load, an observation and a write")
    func onDemand() async throws {
        let first = try await Node(schema)
        try await first.graph.write { batch in
            for id in 1...3 { batch.insert(Book(id: id, title: "Book \(id)")) }
        }
        let second = try await Node(schema)
        #expect(second.cache[Book.self, 1] == nil)
        #expect(try await second.cache.load(Book.self, id: 1)?.title == "Book 1")
        #expect(try await second.cache.load(Book.self, id: 9) == nil)
        try await second.graph.write { batch in
            let second = try await batch.get(Book.self, id: 2)
            let missing = try await batch.get(Book.self, id: 9)
            #expect(second?.title == "Book 2" && missing == nil)
        }
        let (titles, continuation) = AsyncStream.makeStream(of: String.self)
        let observation = second.cache.cached(Book.self, id: 3).observe {
            continuation.yield($0.title)
        }
        defer { observation.dispose() }
        var iterator = titles.makeAsyncIterator()
        #expect(await iterator.next() == "Book 3")
    }

    @Test("Concurrent changes on several nodes all count")
    func conflicts() async throws {
        let nodes = [try await Node(schema), try await Node(schema, books: .atStart)]
        try await nodes[0].graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask {
                    try await nodes[index % 2].graph.write(attempts: 100) { batch in
                        guard var book = try await batch.get(Book.self, id: 1) else {
                            throw Missing()
                        }
                        book.copies += 1
                        batch.set(book)
                    }
                }
            }
            try await group.waitForAll()
        }
        for node in nodes {
            try await node.synchronize()
            #expect(node.cache[Book.self, 1]?.copies == 40)
        }
        // One that certainly meets another one.
        let before = nodes[0].graph.statistics.conflictCount
        let others = Locked(true)
        try await nodes[0].graph.write { batch in
            guard var book = try await batch.get(Book.self, id: 1) else { throw Missing() }
            if others.withLock({ isFirst in
                defer { isFirst = false }
                return isFirst
            }) {
                try await nodes[1].graph.write { batch in
                    guard var book = try await batch.get(Book.self, id: 1) else { throw Missing() }
                    book.copies += 1
                    batch.set(book)
                }
            }
            book.copies += 1
            batch.set(book)
        }
        #expect(nodes[0].cache[Book.self, 1]?.copies == 42)
        #expect(nodes[0].graph.statistics.conflictCount == before + 1)
    }

    @Test("Two inserts of one identifier: the second sees the first")
    func insertTwice() async throws {
        let first = try await Node(schema)
        let second = try await Node(schema)
        try await first.graph.write { $0.insert(Author(id: "lem", name: "Lem")) }
        await #expect {
            try await second.graph.write(attempts: 2) {
                $0.insert(Author(id: "lem", name: "Other"))
            }
        } throws: {
            let error = $0 as? PostgresGraphError
            return error?.kind == .conflict && error?.keys == [CacheKey(Author.self, id: "lem")]
        }
        #expect(try await second.cache.load(Author.self, id: "lem")?.name == "Lem")
    }

    @Test("A removal reaches other nodes, and what follows has another version")
    func remove() async throws {
        let first = try await Node(schema)
        let second = try await Node(schema)
        let id = UUID()
        try await first.graph.write { $0.insert(Order(id: id, book: 1)) }
        #expect(try await second.cache.load(Order.self, id: id)?.book == 1)
        try await first.graph.write { batch in
            _ = try await batch.get(Order.self, id: id)
            batch.remove(Order.self, id: id)
        }
        #expect(first.cache[Order.self, id] == nil)
        try await first.graph.write { $0.insert(Order(id: id, book: 2)) }
        // The second node's memory still has the first row.
        try await second.graph.write(attempts: 2) { batch in
            guard var order = try await batch.get(Order.self, id: id) else { throw Missing() }
            #expect(order.book == 2 || order.book == 1)
            order.book += 10
            batch.set(order)
        }
        #expect(second.cache[Order.self, id]?.book == 12)
    }

    @Test("A closure that throws decides on current rows only")
    func decision() async throws {
        struct SoldOut: Error {}
        let first = try await Node(schema)
        let second = try await Node(schema)
        try await first.graph.write { $0.insert(Book(id: 1, title: "Dune", copies: 0)) }
        _ = try await second.cache.load(Book.self, id: 1)
        try await first.graph.write { batch in
            guard var book = try await batch.get(Book.self, id: 1) else { throw Missing() }
            book.copies = 1
            batch.set(book)
        }
        // The second node still believes that there is no copy.
        #expect(second.cache[Book.self, 1]?.copies == 0)
        try await second.graph.write { batch in
            guard var book = try await batch.get(Book.self, id: 1) else { throw Missing() }
            guard book.copies > 0 else { throw SoldOut() }
            book.copies -= 1
            batch.set(book)
        }
        #expect(second.cache[Book.self, 1]?.copies == 0)
        await #expect(throws: SoldOut.self) {
            try await second.graph.write { batch in
                if try await batch.get(Book.self, id: 1)?.copies == 0 { throw SoldOut() }
            }
        }
    }

    @Test("The error of a decision that meets other writes names the rows that it read")
    func keysOfADecision() async throws {
        struct SoldOut: Error {}
        let first = try await Node(schema)
        let second = try await Node(schema)
        try await first.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        _ = try await second.cache.load(Book.self, id: 1)
        try await first.graph.write { batch in
            guard var book = try await batch.get(Book.self, id: 1) else { throw Missing() }
            book.copies = 1
            batch.set(book)
        }
        await #expect {
            try await second.graph.write(attempts: 1) { batch in
                if try await batch.get(Book.self, id: 1)?.copies == 0 { throw SoldOut() }
            }
        } throws: {
            let error = $0 as? PostgresGraphError
            return error?.kind == .conflict && error?.keys == [CacheKey(Book.self, id: 1)]
        }
    }

    @Test("A decision on rows that were read as absent is compared, too")
    func absentRows() async throws {
        struct Refused: Error {}
        let first = try await Node(schema)
        let second = try await Node(schema)
        try await first.graph.write { $0.insert(Book(id: 2, title: "Old")) }
        _ = try await second.cache.load(Book.self, id: 2)
        let runs = Locked(0)
        let titles = try await second.graph.write { batch in
            let one = try await batch.get(Book.self, id: 1)
            let isFirst = runs.withLock { runs in
                runs += 1
                return runs == 1
            }
            if isFirst {
                try await first.graph.write { batch in
                    guard var book = try await batch.get(Book.self, id: 2) else { throw Missing() }
                    book.title = "New"
                    batch.set(book)
                    batch.insert(Book(id: 1, title: "New"))
                }
            }
            return [one?.title, try await batch.get(Book.self, id: 2)?.title]
        }.value
        #expect(titles == ["New", "New"])
        #expect(runs.withLock(\.self) == 2)
    }

    @Test("Loads with any policy, and of invalidated entities, return the row")
    func loadPolicies() async throws {
        let node = try await Node(schema)
        try await node.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        #expect(try await node.cache.load(Book.self, id: 1, policy: .networkOnly)?.title == "Dune")
        node.cache.invalidate(Book.self, id: 1)
        #expect(try await node.cache.load(Book.self, id: 1)?.title == "Dune")
        #expect(node.graph.statistics.leftOutEntityCount == 0)
    }

    @Test("A notification arrives without a poll")
    func notification() async throws {
        var configuration = PostgresConfiguration(
            connection: { PostgresServer.shared.address },
            schema: Schema(schema)
        )
        configuration.pollInterval = .seconds(3_600)
        let node = try await Node(schema, configuration) {
            Replicated(Book.self, "book", load: .atStart)
        }
        let writer = try await Node(schema)
        let (titles, continuation) = AsyncStream.makeStream(of: String.self)
        let observation = node.cache.query(Book.self).observe { books in
            for book in books { continuation.yield(book.title) }
        }
        defer { observation.dispose() }
        let running = Task { try await node.graph.run() }
        defer { running.cancel() }
        var iterator = titles.makeAsyncIterator()
        for number in 0..<20 {
            try await writer.graph.write { batch in
                if var book = try await batch.get(Book.self, id: 1) {
                    book.title = "\(number)"
                    batch.set(book)
                } else {
                    batch.insert(Book(id: 1, title: "\(number)"))
                }
            }
            // An import of the node's own may take the notification.
            if number % 3 == 0 { _ = try await node.graph.token() }
            while let title = await iterator.next(), title != "\(number)" {}
        }
    }

    @Test("A write survives the cancellation of its task after it was sent")
    func cancellation() async throws {
        let node = try await Node(schema)
        let session = try node.server.session()
        try await node.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        // The row is locked, so the write waits in the database.
        try session.runScript("BEGIN; SELECT 1 FROM \(schema).book FOR UPDATE")
        let write = Task {
            try await node.graph.write { batch in
                guard var book = try await batch.get(Book.self, id: 1) else { throw Missing() }
                book.copies = 7
                batch.set(book)
            }
        }
        let observer = try node.server.session()
        // Another process waits: there's only time to look at it.
        while try observer.run(
            "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = $1::regclass",
            [SQLParameter("\(schema).book")]
        ).count == 0,
            try observer.run(
                "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1",
                [SQLParameter("%\(schema)%")]
            ).count == 0
        {
            try await Task.sleep(for: .milliseconds(5))
        }
        write.cancel()
        try session.run("COMMIT")
        _ = try await write.value
        #expect(try await node.cache.load(Book.self, id: 1, policy: .networkOnly)?.copies == 7)
    }

    @Test("A statement of the service belongs to the write")
    func execute() async throws {
        let node = try await Node(schema)
        let session = try node.server.session()
        try session.runScript("CREATE TABLE public.outbox_\(schema) (body text NOT NULL)")
        let sql = "INSERT INTO public.outbox_\(schema) (body) VALUES ($1)"
        try await node.graph.write { batch in
            batch.insert(Book(id: 1, title: "Dune"))
            batch.execute(sql, [SQLParameter("sent")])
        }
        await #expect(throws: PostgresGraphError.self) {
            try await node.graph.write { batch in
                batch.insert(Book(id: 2, title: "Emma"))
                batch.execute(sql, [nil])
            }
        }
        let bodies = try session.run("SELECT body FROM public.outbox_\(schema)")
        #expect(bodies.count == 1 && bodies.text(0, 0) == "sent")
        #expect(try await node.cache.load(Book.self, id: 2) == nil)
    }

    @Test("Entities of replicated types are left out of ingests")
    func ingest() async throws {
        let node = try await Node(schema)
        _ = node.cache.ingest { [Customer(id: 1, name: "Ada")] }
        _ = node.cache.ingest { Book(id: 1, title: "Upstream") }
        #expect(node.cache[Customer.self, 1]?.name == "Ada")
        #expect(node.cache[Book.self, 1] == nil)
    }

    @Test("Tokens of other databases and other texts are refused")
    func wrongTokens() async throws {
        let node = try await Node(schema)
        await #expect { try await node.graph.wait(for: "x", timeout: hangLimit) } throws: {
            ($0 as? PostgresGraphError)?.kind == .malformedToken
        }
        let other = "\(UUID().uuidString.lowercased()).5"
        await #expect { try await node.graph.wait(for: other, timeout: hangLimit) } throws: {
            ($0 as? PostgresGraphError)?.kind == .otherHistory
        }
        let parts = try await node.graph.token().split(separator: ".")
        await #expect {
            try await node.graph.wait(for: "\(parts[0]).999999999", timeout: hangLimit)
        } throws: { ($0 as? PostgresGraphError)?.kind == .otherHistory }
        // A transaction that runs.
        let session = try node.server.session()
        try session.run("BEGIN")
        let running = try session.run("SELECT pg_current_xact_id()").text(0, 0)
        _ = try await node.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        await #expect {
            try await node.graph.wait(for: "\(parts[0]).\(running)", timeout: .milliseconds(20))
        } throws: { ($0 as? PostgresGraphError)?.kind == .timeout }
        try session.run("COMMIT")
        try await node.graph.wait(for: "\(parts[0]).\(running)", timeout: hangLimit)
    }
}
#endif
