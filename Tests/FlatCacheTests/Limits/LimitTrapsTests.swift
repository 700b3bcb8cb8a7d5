import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that misuse of limits, expirations and stamps traps with a message that describes the
/// mistake.
struct LimitTrapsTests {
    @Test func instantsOfAnotherClock() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            var configuration = CacheConfiguration(clock: ManualClock())
            configuration.limit(Note.self, .unlimited, expires: .at { _ in ContinuousClock.now })
            _ = Cache(configuration: configuration)
        }
        let message = try #require(result?.message)
        #expect(message.contains("but the cache's clock has instants"))
    }

    @Test func expiringInsideABatch() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.performBatchUpdates { _ in cache.expireValues() }
        }
        let message = try #require(result?.message)
        #expect(message.contains("expireValues() was called in the middle of a write"))
    }

    @Test func trimmingInsideABatch() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.performBatchUpdates { _ in _ = cache.trim(to: .fraction(0)) }
        }
        let message = try #require(result?.message)
        #expect(message.contains("trim(to:) was called in the middle of a write"))
    }

    @Test func trimmingToLessThanNothing() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            Cache().trim(to: .fraction(-0.1))
        }
        let message = try #require(result?.message)
        #expect(message.contains("A cache cannot be trimmed to -0.1 of itself"))
    }

    @Test func stampsOfTwoTypes() async {
        await #expect(processExitsWith: .failure) {
            let cache = Cache()
            cache.set(Note(id: 1, text: ""), modifiedAt: 1)
            cache.set(Note(id: 2, text: ""), modifiedAt: "2026-11-01")
        }
    }
}
