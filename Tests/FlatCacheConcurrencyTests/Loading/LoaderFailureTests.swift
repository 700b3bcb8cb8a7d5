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
}
