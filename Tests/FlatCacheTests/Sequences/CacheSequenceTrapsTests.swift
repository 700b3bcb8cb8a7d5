import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that misuse of a sequence traps with a message that describes the mistake.
struct CacheSequenceTrapsTests {
    @Test func roomForNoneOfTheNewest() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let changes = Cache().changes(of: Note.self, buffering: .newest(0))
            _ = changes.makeAsyncIterator()
        }
        let message = try #require(result?.message)
        #expect(message.contains("cannot be buffered as newest(0)"))
    }

    @Test func roomForANegativeNumberOfTheOldest() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let changes = Cache().cached(Note.self, id: 1).changes(buffering: .oldest(-1))
            _ = changes.makeAsyncIterator()
        }
        let message = try #require(result?.message)
        #expect(message.contains("cannot be buffered as oldest(-1)"))
    }

    @Test func followingANegativeNumberOfLevels() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let values = Cache().cached(Note.self, id: 1).following(.levels(-1)).values
            _ = values.makeAsyncIterator()
        }
        let message = try #require(result?.message)
        #expect(message.contains("levels(-1)"))
    }

    @Test func twoTasksThatAwaitTheSameIterator() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            await Self.awaitOneIteratorFromTwoTasks()
        }
        let message = try #require(result?.message)
        #expect(message.contains("Two tasks await the next element of one iterator"))
    }

    /// Returns after both tasks have begun to wait, so that the exit test fails without a trap.
    @MainActor private static func awaitOneIteratorFromTwoTasks() async {
        let cache = Cache()
        let iterator = cache.changes(of: Note.self).makeAsyncIterator()
        let begun = Recorder<Int>()
        for number in 0..<2 {
            Task {
                var copy = iterator
                begun.append(number)
                _ = await copy.next(isolation: #isolation)
            }
        }
        _ = await until { begun.count == 2 }
        withExtendedLifetime(cache) {}
    }
}
