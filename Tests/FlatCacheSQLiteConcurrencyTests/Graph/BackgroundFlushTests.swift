import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of the flushes that a graph makes by itself.
struct BackgroundFlushTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    private func attached(_ graph: SQLiteGraph) async throws -> Cache {
        let cache = Cache()
        try await graph.attach(to: cache)
        return cache
    }

    @Test func commitsWithinTheIntervalAreOneTransaction() async throws {
        let graph = try folder.graph()
        let cache = try await attached(graph)
        for round in 1...3 {
            for number in 0..<1_000 {
                cache.set(Book(id: number % 100, title: "\(round) \(number)"))
            }
            #expect(await graph.engine.transactionCount == round - 1)
            folder.clock.advance(by: GraphFolder.flushInterval)
            #expect(await until(graph) { $0.transactionCount == round })
        }
        let copy = try await attached(try folder.graph())
        #expect(copy.count(of: Book.self) == 100)
        #expect(copy[Book.self, 99]?.title == "3 999")
        withExtendedLifetime(cache) {}
    }

    @Test func intervalBeginsWithTheFirstChange() async throws {
        let graph = try folder.graph()
        let cache = try await attached(graph)
        cache.set(Book(id: 1, title: "One"))
        folder.clock.advance(by: GraphFolder.flushInterval - .milliseconds(1))
        cache.set(Book(id: 2, title: "Two"))
        #expect(await until { folder.clock.sleeperCount == 1 })
        #expect(await graph.engine.transactionCount == 0)
        folder.clock.advance(by: .milliseconds(1))
        #expect(await until(graph) { $0.transactionCount == 1 })
        #expect(try folder.run("SELECT id FROM book") == ["1", "2"])
        withExtendedLifetime(cache) {}
    }

    @Test func deallocatedCacheIsFlushed() async throws {
        let graph = try folder.graph()
        do {
            let cache = try await attached(graph)
            cache.set(Book(id: 1, title: "One"))
            try await graph.flush()
            cache.set(contentsOf: [Book(id: 1, title: "Changed"), Book(id: 2, title: "Two")])
        }
        #expect(await untilDetached(graph))
        let copy = try await attached(try folder.graph())
        #expect(copy[Book.self, 1]?.title == "Changed")
        #expect(copy[Book.self, 2]?.title == "Two")
    }

    @Test func failedFlushIsRepeated() async throws {
        let graph = try folder.graph(lockTimeout: .zero)
        let cache = try await attached(graph)
        let other = try Database(path: folder.url.path, lockTimeout: .zero)
        try other.execute("BEGIN IMMEDIATE")
        cache.set(Book(id: 1, title: "One"))
        folder.clock.advance(by: GraphFolder.flushInterval)
        for attempt in 1...3 {
            #expect(await until(graph) { $0.isRetryScheduled })
            // A flush that an earlier change has scheduled leaves the work to the next attempt.
            await graph.engine.flushInBackground()
            #expect(folder.errors.all.map(\.kind) == Array(repeating: .locked, count: attempt))
            if attempt == 3 { try other.execute("COMMIT") }
            folder.clock.advance(by: GraphEngine.retryInterval)
            let errors = folder.errors
            let isRepeated = await until(graph) {
                errors.count > attempt || $0.transactionCount > 0
            }
            #expect(isRepeated)
        }
        #expect(try folder.run("SELECT id FROM book") == ["1"])
        #expect(folder.errors.count == 3)
        withExtendedLifetime(cache) {}
    }

    @Test func lastChangesThatCannotBeWrittenAreRepeated() async throws {
        let graph = try folder.graph(lockTimeout: .zero)
        let other = try Database(path: folder.url.path, lockTimeout: .zero)
        do {
            let cache = try await attached(graph)
            cache.set(Book(id: 1, title: "Last"))
            try other.execute("BEGIN IMMEDIATE")
        }
        #expect(await untilDetached(graph))
        #expect(folder.errors.all.map(\.kind) == [.locked])
        try other.execute("COMMIT")
        folder.clock.advance(by: GraphEngine.retryInterval)
        #expect(await until(graph) { $0.lastChanges.isEmpty })
        #expect(try folder.run("SELECT id FROM book") == ["1"])
    }

    @Test func changesThatResumingCannotWriteAreWrittenLater() async throws {
        let graph = try folder.graph(lockTimeout: .zero) { Durable(EncodedNote.self, "note") }
        let cache = try await attached(graph)
        try await graph.suspend()
        cache.set(EncodedNote(id: 1))
        // The flush that is scheduled for the change finds the graph suspended.
        let hasRun = await untilNextJob(of: graph) {
            folder.clock.advance(by: GraphFolder.flushInterval)
        }
        #expect(hasRun)
        let other = try Database(path: folder.url.path, lockTimeout: .zero)
        try other.execute("BEGIN IMMEDIATE")
        await #expect { try await graph.resume() } throws: {
            ($0 as? SQLiteGraphError)?.kind == .locked
        }
        try other.execute("COMMIT")
        folder.clock.advance(by: GraphEngine.retryInterval)
        #expect(await until(graph) { $0.transactionCount == 1 })
        #expect(try folder.run("SELECT id FROM note") == ["1"])
        withExtendedLifetime(cache) {}
    }

    /// The flush ends the cache if it holds the writers' lock when the cache is released.
    @Test func flushCanEndItsCache() async throws {
        for number in 0..<50 {
            let graph = try folder.graph(lockTimeout: .seconds(3_600)) {
                Durable(Profile.self, "profile")
            }
            let flush: Task<Void, any Error>
            do {
                let cache = try await attached(graph)
                cache.set(Profile(id: number, name: "Last", email: nil))
                flush = Task { try await graph.flush() }
                await Task.yield()
            }
            #expect(await untilDetached(graph))
            try await flush.value
        }
        #expect(try folder.run("SELECT count(*) FROM profile") == ["50"])
    }

    /// The thread that closed the gate can end the cache.
    @Test func gateDoesNotStopItsOwnThread() async throws {
        try await onOwnThread {
            let gate = ReadingGate()
            gate.begin()
            gate.waitForEnd()
            gate.end()
        }
    }
}
