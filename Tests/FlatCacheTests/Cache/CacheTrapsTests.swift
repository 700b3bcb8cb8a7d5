import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that misuse of the cache traps with a message that describes the mistake.
struct CacheTrapsTests {
    @Test func batchAfterItsEnd() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let batch = Cache().performBatchUpdates { $0 }
            batch.set(Note(id: 1, text: ""))
        }
        let message = try #require(result?.message)
        #expect(message.contains("A batch was used after the closure"))
    }

    @Test func readingFromABatchAfterItsEnd() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            let batch = cache.performBatchUpdates { $0 }
            _ = batch.count(of: Note.self)
        }
        let message = try #require(result?.message)
        #expect(message.contains("A batch was used after the closure"))
    }

    @Test func innerBatchAfterItsEndInTheOuterOne() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.performBatchUpdates { _ in
                let inner = cache.performBatchUpdates { $0 }
                inner.removeAll()
            }
        }
        let message = try #require(result?.message)
        #expect(message.contains("A batch was used after the closure"))
    }

    @Test func batchOnAnotherThread() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            Cache().performBatchUpdates { batch in
                nonisolated(unsafe) let batch = batch
                _ = RunningThread { batch.remove(Note.self, id: 1) }.wait()
            }
        }
        let message = try #require(result?.message)
        #expect(message.contains("A batch was used on another thread"))
    }

    @Test func snapshotAfterItsEnd() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            let snapshot = cache.withSnapshot { $0 }
            _ = snapshot[Note.self, 1]
        }
        let message = try #require(result?.message)
        #expect(message.contains("A snapshot was used after the closure"))
    }

    @Test func valueOfAnotherEntityThroughAHandle() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.cached(Book.self, id: 1).value = Book(id: 2)
        }
        let message = try #require(result?.message)
        #expect(message.contains("Book(1)"))
        #expect(message.contains("Book(2)"))
    }

    @Test func updateThatChangesTheIdentifier() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.set(Book(id: 1))
            cache.update(Book.self, id: 1) { $0 = Book(id: 2) }
        }
        let message = try #require(result?.message)
        #expect(message.contains("update(_:id:_:)"))
        #expect(message.contains("Book(1)"))
        #expect(message.contains("Book(2)"))
    }

    @Test func mergeThatReturnsAnotherEntity() async throws {
        struct Changing: Identifiable, Sendable, Mergeable {
            let id: Int
            func merged(with other: Changing) -> Changing { Changing(id: 7) }
        }
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.set(Changing(id: 1))
            cache.set(Changing(id: 1))
        }
        let message = try #require(result?.message)
        #expect(message.contains("merged(with:) of Changing(1) has returned Changing(7)"))
    }

    @Test func negativeNumberOfLevels() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            _ = cache.cached(Book.self, id: 1).following(.levels(-1)).observe { _ in }
        }
        let message = try #require(result?.message)
        #expect(message.contains("levels(-1)"))
    }

    @Test func storingAHandle() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.set(contentsOf: [cache.cached(Book.self, id: 1)])
        }
        let message = try #require(result?.message)
        #expect(message.contains("Cached<Book>"))
        #expect(message.contains("handle"))
    }

    @Test func storingAList() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.set(contentsOf: [cache.list("list", of: Book.self)])
        }
        let message = try #require(result?.message)
        #expect(message.contains("CachedList<Book>"))
    }
}
