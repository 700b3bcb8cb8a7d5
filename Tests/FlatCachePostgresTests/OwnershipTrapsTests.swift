#if canImport(CPostgres)
import FlatCache
import Foundation
import TestSupport
import Testing

@testable import FlatCachePostgres

/// Writes of others to replicated types.
@Suite(.needsPostgres) struct OwnershipTrapsTests {
    private static func node() async -> Node {
        do {
            let server = PostgresServer.shared
            let node = try await Node(server.newSchema(), server) {
                Replicated(Book.self, "book")
                Replicated(Order.self, "orders")
            }
            try await node.graph.write { $0.insert(Book(id: 1, title: "Dune")) }
            return node
        } catch {
            fatalError("The node can't be created: \(error)")
        }
    }

    init() { _ = PostgresServer.shared }

    @Test("Storing a replicated value traps, even an equal one")
    func set() async {
        let trap1 = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let node = await Self.node()
            node.cache.set(Book(id: 1, title: "Dune"))
        }
        #expect(trap1?.message.contains("PostgresGraph.write") == true)
        let trap2 = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let node = await Self.node()
            node.cache.set(contentsOf: [Book(id: 2, title: "Emma")])
        }
        #expect(trap2?.message.contains("PostgresGraph.write") == true)
        let trap3 = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let node = await Self.node()
            node.cache.performBatchUpdates { $0.set(Book(id: 2, title: "Emma")) }
        }
        #expect(trap3?.message.contains("PostgresGraph.write") == true)
    }

    @Test("Changing a replicated value in place traps")
    func update() async {
        let trap4 = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let node = await Self.node()
            node.cache.update(Book.self, id: 1) { $0.copies = 1 }
        }
        #expect(trap4?.message.contains("PostgresGraph.write") == true)
    }

    @Test("Removing replicated values traps, even absent ones")
    func remove() async {
        let trap5 = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let node = await Self.node()
            node.cache.remove(Book.self, id: 9)
        }
        #expect(trap5?.message.contains("PostgresGraph.write") == true)
        let trap6 = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let node = await Self.node()
            node.cache.removeAll(Order.self)
        }
        #expect(trap6?.message.contains("PostgresGraph.write") == true)
        let trap7 = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let node = await Self.node()
            node.cache.removeAll()
        }
        #expect(trap7?.message.contains("PostgresGraph.write") == true)
    }

    @Test("Setting another loader traps")
    func loader() async {
        let trap8 = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let node = await Self.node()
            node.cache.setLoader(for: Book.self) { _ in [] }
        }
        #expect(trap8?.message.contains("PostgresGraph.write") == true)
    }

    @Test("Writing an entity that wasn't read traps, and so does inserting one that was")
    func batch() async {
        let trap9 = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let node = await Self.node()
            _ = try? await node.graph.write { $0.set(Book(id: 1, title: "Emma")) }
        }
        #expect(trap9?.message.contains("hasn't read it") == true)
        let trap10 = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let node = await Self.node()
            _ = try? await node.graph.write { $0.remove(Book.self, id: 1) }
        }
        #expect(trap10?.message.contains("hasn't read it") == true)
        let trap11 = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let node = await Self.node()
            _ = try? await node.graph.write { batch in
                _ = try await batch.get(Book.self, id: 1)
                batch.insert(Book(id: 1, title: "Emma"))
            }
        }
        #expect(trap11?.message.contains("has a row already") == true)
        let trap12 = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let node = await Self.node()
            _ = try? await node.graph.write { $0.execute(" rollback;") }
        }
        #expect(trap12?.message.contains("can't be ended by ROLLBACK") == true)
    }

    @Test("Limits and expirations of a type that is loaded at the start trap")
    func limits() async throws {
        let trap13 = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let server = PostgresServer.shared
            let node = try await Node(server.newSchema(), books: .atStart)
            node.cache.limit(Book.self, .count(5))
        }
        #expect(trap13?.message.contains("load it on demand") == true)
        let trap14 = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let server = PostgresServer.shared
            let cache = Cache()
            cache.limit(Book.self, expires: .afterWrite(.seconds(60)))
            let graph = PostgresGraph(server.address, schema: server.newSchema()) {
                Replicated(Book.self, "book", load: .atStart)
            }
            try await graph.attach(to: cache)
        }
        #expect(trap14?.message.contains("load it on demand") == true)
        let node = try await Node(PostgresServer.shared.newSchema(), books: .atStart)
        node.cache.limit(Book.self, staleAfter: .seconds(60))
        node.cache.limit(Order.self, .count(5), expires: .afterWrite(.seconds(60)))
    }

    @Test("Evicted and pruned values are loaded again")
    func eviction() async throws {
        let node = await Self.node()
        node.cache.pruneUnobservedValues()
        #expect(node.cache[Book.self, 1] == nil)
        #expect(try await node.cache.load(Book.self, id: 1)?.title == "Dune")
    }

    @Test("The answers of other loads leave replicated entities out, and count them")
    func loads() async throws {
        let node = await Self.node()
        let request = try await node.cache.load("books", staleAfter: .seconds(1)) {
            Ingestion.current?.collect(Book(id: 7, title: "Upstream"))
            return 3
        }
        #expect(request == 3)
        #expect(node.cache[Book.self, 7] == nil)
        #expect(node.graph.statistics.leftOutEntityCount == 1)
    }
}
#endif
