import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of the failures that a loader returns for single identifiers.
@Suite(.timeLimit(.minutes(20)))
struct LoaderFailureTests {
    private struct Failure: Error {}

    private func cache(
        calls: Recorder<Int> = Recorder(),
        failingWith error: any Error
    ) -> Cache {
        let cache = Cache()
        cache.setLoader(
            for: Book.self,
            gathering: .zero,
            atMost: 10_000,
            rememberingFailures: .seconds(60)
        ) { ids in
            calls.append(ids.count)
            return Dictionary(
                uniqueKeysWithValues: ids.map { ($0, Result<Book?, any Error>.failure(error)) }
            )
        }
        return cache
    }

    @Test("The CancellationError of a single identifier isn't remembered")
    func cancellation() async throws {
        let calls = Recorder<Int>()
        let cache = cache(calls: calls, failingWith: CancellationError())
        for _ in 0..<2 {
            await #expect(throws: CancellationError.self) {
                try await cache.load(Book.self, id: 1)
            }
        }
        #expect(calls.count == 2)
    }

    @Test("The time for remembering failures is proportional to their number")
    func manyFailures() async throws {
        func time(for count: Int) async -> Duration {
            var shortest = Duration.seconds(1_000)
            for _ in 0..<3 {
                let cache = cache(failingWith: Failure())
                let start = ContinuousClock.now
                _ = try? await cache.load(Book.self, ids: Array(0..<count))
                #expect(await until { cache.core.loads.isIdle })
                shortest = min(shortest, ContinuousClock.now - start)
            }
            return shortest
        }
        // A quadratic time would be 64 times as long.
        #expect(await time(for: 2_000) < time(for: 250) * 32)
    }
}
