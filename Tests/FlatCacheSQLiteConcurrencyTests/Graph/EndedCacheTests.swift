@testable import FlatCache
import FlatCacheTesting
import Foundation
import Testing

@testable import FlatCacheSQLite
@testable import FlatCacheSQLiteTestSupport

/// Tests of caches that are deallocated or detached while their graph is busy, suspended or locked
/// out.
@Suite(.exclusive, .serialized)
struct EndedCacheTests {
    private let folder: GraphFolder

    init() throws {
        folder = try GraphFolder()
    }

    /// Opens a graph whose file another connection can lock without a delay.
    private func graph() throws -> SQLiteGraph {
        try folder.graph(lockTimeout: .zero) { Durable(Author.self, "author") }
    }

    private func connection() throws -> Database {
        try Database(path: folder.url.path, lockTimeout: .seconds(3_600))
    }

    /// Deallocates a cache of a graph whose last changes can't be written, because another
    /// connection locks the file.
    private func endCache(of graph: SQLiteGraph, lockedBy other: Database) async throws {
        do {
            let cache = Cache()
            try await graph.attach(to: cache)
            try other.execute("BEGIN IMMEDIATE")
            cache.set(Author(id: "1", name: "last"))
        }
        #expect(await until { folder.errors.count > 0 })
    }

    @Test func flushEndsIfTheCacheEndsBeforeAnotherTransaction() async throws {
        let types = { Durable(DecodedNote.self, "note", load: .atStart) }
        let cache = Locked<Cache?>(Cache())
        let graph = try folder.graph { types() }
        try await graph.attach(to: #require(cache.withLock { $0 }))
        try await graph.suspend()
        let otherCache = Cache()
        let other = try folder.graph { types() }
        try await other.attach(to: otherCache)
        otherCache.set(DecodedNote(id: 1))
        try await other.flush()
        let errors = folder.errors
        DecodedNote.onDecoding.withLock { [folder] in
            $0 = {
                let last = cache.withLock { $0.take() }
                withExtendedLifetime(last) {}
                do {
                    try folder.log().append(number: 2, storing: 2, of: "note")
                } catch {
                    errors.append(
                        SQLiteGraphError(.failed, file: "", reason: "The hook failed: \(error)")
                    )
                }
            }
        }
        // The flush imports the first transaction and doesn't import the second one.
        try await graph.resume()
        #expect(await untilDetached(graph))
        #expect(cache.withLock { $0 == nil })
        #expect(try folder.log().latest() == 2)
        #expect(errors.all.isEmpty)
    }

    @Test func cacheEndsBeforeItShowsAChangeOfAnotherGraph() async throws {
        let clock = ManualClock()
        let configuration = CacheConfiguration(clock: clock)
        let graph = { [folder] in
            try folder.graph(wallClock: clock.wallClock) {
                Durable(DecodedNote.self, "note", load: .atStart)
                Durable(Book.self, "book", load: .atStart)
            }
        }
        let cache = Locked<Cache?>(Cache(configuration: configuration))
        let ending = try graph()
        try await ending.attach(to: #require(cache.withLock { $0 }))
        try await ending.suspend()
        _ = cache.withLock { $0?.set(Book(id: 1, title: "last")) }
        clock.advance(by: .seconds(1))
        let otherCache = Cache(configuration: configuration)
        let other = try graph()
        try await other.attach(to: otherCache)
        otherCache.set(DecodedNote(id: 1))
        otherCache.set(Book(id: 1, title: "other"))
        try await other.flush()
        DecodedNote.onDecoding.withLock {
            $0 = {
                let last = cache.withLock { $0.take() }
                withExtendedLifetime(last) {}
            }
        }
        try await ending.resume()
        try await ending.flush()
        let reader = try folder.graph()
        #expect(try await reader.load(Book.self, id: 1)?.title == "last")
    }

    @Test func cacheEndsWhileAFlushReadsStamps() async throws {
        let cache = Locked<Cache?>(Cache())
        let graph = try folder.graph { Durable(HashedNote.self, "note").stamps(of: Int.self) }
        let count = 3_000
        do {
            let cache = try #require(cache.withLock { $0 })
            try await graph.attach(to: cache)
            for number in 0..<count {
                cache.set(HashedNote(id: HashedNote.ID(number: number)), modifiedAt: number)
            }
        }
        let access = try #require(await graph.engine.attachment?.access)
        let (isEnding, hasEnded) = (Signal(), Signal())
        HashedNote.onHashing.withLock {
            $0 = HashedNote.Hook {
                let isLocked = access.core.writerLock.isHeldByCurrentThread
                if isLocked, access.isClosed { isEnding.fire() }
                // A slice of stamps has been read, and the flush doesn't hold the writers' lock.
                guard !isLocked, !access.isClosed else { return false }
                _ = RunningThread {
                    let last = cache.withLock { $0.take() }
                    withExtendedLifetime(last) {}
                    hasEnded.fire()
                }
                return blockUntil { isEnding.isFired || hasEnded.isFired }
            }
        }
        try await graph.flush()
        let stamped = try folder.run("SELECT count(*) FROM note WHERE stamp NOT NULL")
        #expect(stamped == ["\(count)"])
        #expect(await until { hasEnded.isFired })
    }

    @Test func lastChangesThatResumingWritesAreWrittenOnce() async throws {
        let graph = try graph()
        let other = try connection()
        try await endCache(of: graph, lockedBy: other)
        try other.execute("COMMIT")
        let cache = Cache()
        try await graph.attach(to: cache)
        try other.execute("BEGIN IMMEDIATE")
        cache.set(Author(id: "2", name: "next"))
        await #expect(throws: SQLiteGraphError.self) { try await graph.suspend() }
        try other.execute("COMMIT")
        // The flush opens the file for the last changes, which writes all changes.
        await #expect { try await graph.flush() } throws: {
            ($0 as? SQLiteGraphError)?.kind == .suspended
        }
        try await graph.resume()
        #expect(try folder.run("SELECT id FROM author") == ["1", "2"])
    }

    @Test func commitDuringTheFlushOfDetachingIsWritten() async throws {
        let cache = Cache()
        let graph = try folder.graph {
            Durable(EncodedNote.self, "note")
            Durable(Profile.self, "profile")
        }
        try await graph.attach(to: cache)
        cache.set(Profile(id: 1, name: "Name", email: "mail"))
        try await graph.flush()
        cache.set(EncodedNote(id: 100))
        EncodedNote.onEncoding(of: 100) {
            cache.remove(Profile.self, id: 1)
            cache.set(EncodedNote(id: 101))
        }
        EncodedNote.onEncoding(of: 101) { cache.set(EncodedNote(id: 102)) }
        try await graph.detach()
        #expect(try folder.run("SELECT id FROM note") == ["100", "101"])
        #expect(try folder.run("SELECT id FROM profile").isEmpty)
        #expect(await !graph.isAttached)
    }

    @Test func stampsOfLastChangesOutliveARemovalOfTheirType() async throws {
        let cache = Cache()
        let graph = try folder.graph {
            Durable(EncodedNote.self, "trigger")
            Durable(HashedNote.self, "note").stamps(of: Int.self)
        }
        try await graph.attach(to: cache)
        let access = try #require(await graph.engine.attachment?.access)
        let count = 3_000
        let mustRemove = Locked(false)
        HashedNote.onHashing.withLock {
            $0 = HashedNote.Hook {
                // A slice of stamps has been read, and the graph doesn't hold the writers' lock.
                guard !access.core.writerLock.isHeldByCurrentThread,
                    mustRemove.withLock({ $0.take() })
                else { return false }
                cache.removeAll(HashedNote.self)
                return true
            }
        }
        cache.set(EncodedNote(id: 120))
        EncodedNote.onEncoding(of: 120) {
            for number in 0..<count {
                cache.set(HashedNote(id: HashedNote.ID(number: number)), modifiedAt: number)
            }
            mustRemove.withLock { $0 = true }
        }
        try await graph.detach()
        #expect(cache.count(of: HashedNote.self) == 0)
        let stamped = try folder.run("SELECT count(*) FROM note WHERE stamp NOT NULL")
        #expect(stamped == ["\(count)"])
    }

    @Test func changesThatDetachingCannotWriteAreWrittenByTheNextCall() async throws {
        let cache = Cache()
        // The graph's thread uses it during the call of `detach()`, for which the test waits.
        nonisolated(unsafe) let other = try Database(path: folder.url.path, lockTimeout: .zero)
        let mustLock = Locked(false)
        let graph = try folder.graph(
            lockTimeout: .zero,
            wallClock: {
                // After its first transaction, the graph finds the file locked.
                mustLock.withLock { mustLock in
                    if mustLock { mustLock = (try? other.execute("BEGIN IMMEDIATE")) == nil }
                }
                return Date()
            },
            { Durable(EncodedNote.self, "note") }
        )
        try await graph.attach(to: cache)
        cache.set(EncodedNote(id: 110))
        EncodedNote.onEncoding(of: 110) {
            cache.set(EncodedNote(id: 111))
            mustLock.withLock { $0 = true }
        }
        await #expect { try await graph.detach() } throws: {
            ($0 as? SQLiteGraphError)?.kind == .locked
        }
        cache.set(EncodedNote(id: 112))
        try other.execute("COMMIT")
        try await graph.detach()
        #expect(try folder.run("SELECT id FROM note") == ["110", "111"])
    }

    @Test func detachingWritesLastChanges() async throws {
        let graph = try graph()
        let other = try connection()
        try await endCache(of: graph, lockedBy: other)
        #expect(await !graph.isAttached)
        try other.execute("COMMIT")
        try await graph.detach()
        #expect(try folder.run("SELECT id FROM author") == ["1"])
    }
}

extension TransactionLog {
    /// Appends the record of another graph's transaction.
    fileprivate func append(number: Int64, storing id: Int64, of type: String) throws {
        let now = WallTime(Date())
        try append(
            TransactionRecord(
                number: number,
                token: 1,
                type: type,
                written: now,
                stored: [.number(id)],
                removed: []
            )
        )
    }
}

/// A value that calls a closure when it's decoded.
private struct DecodedNote: Identifiable, Codable, Hashable, Sendable {
    /// The closure, which the next decoded value calls.
    static let onDecoding = Locked<(@Sendable () -> Void)?>(nil)

    private enum CodingKeys: CodingKey { case id }

    let id: Int

    init(id: Int) { self.id = id }

    init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
        Self.onDecoding.withLock { $0.take() }?()
    }
}

/// A value whose identifier calls a closure when it's hashed.
private struct HashedNote: Identifiable, Codable, Hashable, Sendable {
    struct ID: Hashable, Codable, Sendable {
        let number: Int

        func hash(into hasher: inout Hasher) {
            hasher.combine(number)
            guard let hook = HashedNote.onHashing.withLock({ $0 }), hook.body() else { return }
            HashedNote.onHashing.withLock { $0 = nil }
        }
    }

    /// A closure that returns whether it isn't to be called again.
    struct Hook: Sendable {
        // In a property of its own, because each access of a generic lock to a closure wraps the
        // closure once more, until a call exhausts the stack.
        let body: @Sendable () -> Bool
    }

    static let onHashing = Locked<Hook?>(nil)

    let id: ID
}

extension Bool {
    /// Returns the value, and replaces it by `false`.
    fileprivate mutating func take() -> Bool {
        defer { self = false }
        return self
    }
}
