#if canImport(CPostgres)
import FlatCache
import Foundation
import Testing

@testable import FlatCachePostgres

/// Writes whose answers are lost, and statements that end connections.
@Suite(.needsPostgres) struct WithdrawnWriteTests {
    private let server = PostgresServer.shared
    private let schema = PostgresServer.shared.newSchema()

    @Test("A withdrawal whose answer was lost isn't taken for the write")
    func repeatedWithdrawal() async throws {
        _ = try await Node(schema)
        let session = try server.session()
        let incarnation = try session.run("SELECT incarnation FROM \(schema)._history").text(0, 0)
        let plan = WritePlan(id: UUID(), [], [])
        let step = plan.resolution(Schema(schema), incarnation: incarnation)
        for _ in 0..<2 { #expect(try session.run(step.sql, step.parameters)[0, 0] == nil) }
        // No attempt can be committed any more.
        let attempt = plan.steps(Schema(schema), incarnation: incarnation)[1]
        #expect(throws: PostgresGraphError.self) {
            try session.run(attempt.sql, attempt.parameters)
        }
    }

    @Test("A withdrawal finds a committed write")
    func committedWrite() async throws {
        _ = try await Node(schema)
        let session = try server.session()
        let incarnation = try session.run("SELECT incarnation FROM \(schema)._history").text(0, 0)
        let plan = WritePlan(id: UUID(), [], [])
        let attempt = plan.steps(Schema(schema), incarnation: incarnation)[1]
        let number = try session.run(attempt.sql, attempt.parameters).text(0, 0)
        let step = plan.resolution(Schema(schema), incarnation: incarnation)
        for _ in 0..<2 { #expect(try session.run(step.sql, step.parameters).text(0, 0) == number) }
    }

    @Test("A statement that ends each connection fails the write after some attempts")
    func fatalStatement() async throws {
        let node = try await Node(schema)
        await #expect {
            try await node.graph.write { batch in
                batch.insert(Book(id: 1, title: "Dune"))
                batch.execute("SELECT pg_catalog.pg_terminate_backend(pg_catalog.pg_backend_pid())")
            }
        } throws: { ($0 as? PostgresGraphError)?.kind == .disconnected }
        #expect(try await node.cache.load(Book.self, id: 1) == nil)
        try await node.graph.write { $0.insert(Book(id: 1, title: "Emma")) }
        #expect(node.cache[Book.self, 1]?.title == "Emma")
    }

    @Test("A statement that libpq refuses fails the write at once")
    func refusedStatement() async throws {
        let node = try await Node(schema)
        let parameters = [SQLParameter](repeating: "1", count: 70_000)
        await #expect {
            try await node.graph.write { $0.execute("SELECT $1", parameters) }
        } throws: { ($0 as? PostgresGraphError)?.kind == .failed }
        try await node.graph.write { $0.insert(Book(id: 1, title: "Emma")) }
        #expect(node.cache[Book.self, 1]?.title == "Emma")
    }

    @Test("An error that a statement raises with the state of a lost connection isn't one")
    func stateOfConnection() async throws {
        let node = try await Node(schema)
        await #expect {
            try await node.graph.write { batch in
                batch.execute(
                    "DO $$ BEGIN RAISE EXCEPTION 'elsewhere' USING ERRCODE = '08001'; END $$"
                )
            }
        } throws: {
            let error = $0 as? PostgresGraphError
            return error?.kind == .failed && error?.sqlState == "08001"
        }
    }

    @Test("The first word of a statement is found after comments")
    func firstWord() {
        #expect(GraphBatch.firstWord(of: " -- end of cart\n/* and */ rollback;") == "ROLLBACK")
        #expect(GraphBatch.firstWord(of: "-- commit\nDELETE FROM public.cart") == "DELETE")
        #expect(GraphBatch.firstWord(of: "/* never closed") == "")
        #expect(GraphBatch.firstWord(of: "(SELECT 1)") == "SELECT")
    }

    @Test("Errors don't quote values")
    func values() async throws {
        enum Status: String, Codable { case open }
        let json = Data(#"{"a": [{"b": "secret"}]}"#.utf8)
        do {
            _ = try JSONDecoder().decode([String: [[String: Status]]].self, from: json)
            Issue.record("The value can't be decoded.")
        } catch {
            #expect("\(error)".contains("secret"))
            let text = PostgresGraphError.text(of: error)
            #expect(text.contains("a.0.b") && !text.contains("secret"))
        }
        let node = try await Node(schema)
        await #expect {
            try await node.graph.write { $0.execute("SELECT CAST($1 AS int)", ["secret"]) }
        } throws: { !"\($0)".contains("secret") && "\($0)".contains("22P02") }
    }

    @Test("A renewed history is a conflict of running writes, and their tokens are refused")
    func renewedHistory() async throws {
        let node = try await Node(schema)
        try await node.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
        let token = try await node.graph.token()
        let session = try server.session()
        try session.runScript("UPDATE \(schema)._history SET incarnation = gen_random_uuid()")
        try await node.graph.write { batch in
            guard var book = try await batch.get(Book.self, id: 1) else { throw Missing() }
            book.copies += 1
            batch.set(book)
        }
        #expect(node.cache[Book.self, 1]?.copies == 1)
        await #expect {
            try await node.graph.wait(for: token, timeout: .seconds(10))
        } throws: { ($0 as? PostgresGraphError)?.kind == .otherHistory }
        #expect(node.graph.statistics.disconnectedSince == nil)
    }

    @Test("Only one node cleans the log at a time")
    func cleaning() async throws {
        let node = try await Node(schema)
        let session = try server.session()
        try session.runScript("BEGIN; SELECT pg_advisory_xact_lock(\(Schema.cleaningLock))")
        await node.graph.clean()
        let count = "SELECT count(*) FROM \(schema)._horizons"
        #expect(try session.run(count).integer(0, 0) == 0)
        try session.run("COMMIT")
        // Another suite may hold the lock of the shared server for a moment.
        for _ in 0..<500 where try session.run(count).integer(0, 0) == 0 {
            await node.graph.clean()
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try session.run(count).integer(0, 0) == 1)
    }
}

/// Replicated types with limits, whose rows memory may not keep.
@Suite(.needsPostgres) struct LimitedTypeTests {
    private let schema = PostgresServer.shared.newSchema()

    private func node(_ limit: CacheLimit<Book>) async throws -> Node {
        let first = try await Node(schema)
        try await first.graph.write { batch in
            if try await batch.get(Book.self, id: 1) != nil { return }
            for id in 1...5 { batch.insert(Book(id: id, title: "\(id)", copies: id)) }
        }
        let node = try await Node(schema)
        node.cache.limit(Book.self, limit)
        return node
    }

    @Test("Loads return rows that the limit doesn't keep")
    func loads() async throws {
        let node = try await node(.count(1))
        let books = try await node.cache.load(Book.self, ids: Array(1...6))
        #expect(books.count == 5)
        let costly = try await self.node(.cost(3) { $0.copies })
        #expect(try await costly.cache.load(Book.self, id: 5)?.title == "5")
        #expect(try await costly.cache.load(Book.self, id: 6) == nil)
    }

    @Test("A write that reads more rows than the limit keeps runs once")
    func writes() async throws {
        let node = try await node(.count(2))
        let sum = try await node.graph.write(attempts: 1) { batch in
            var sum = 0
            for id in 1...5 { sum += try await batch.get(Book.self, id: id)?.copies ?? 0 }
            batch.insert(Book(id: 6, title: "6", copies: sum))
            return sum
        }
        #expect(sum.value == 15)
        // A decision without a write compares its reads.
        let absent = try await node.graph.write(attempts: 1) { batch in
            var absent = 0
            for id in 1...7 where try await batch.get(Book.self, id: id) == nil { absent += 1 }
            return absent
        }
        #expect(absent.value == 1)
    }
}
#endif
