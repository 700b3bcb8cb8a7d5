import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of many requests that run at the same time.
@Suite(.timeLimit(.minutes(20)))
struct ManyRequestsTests {
    @Test("Observing and listing running requests takes a time proportional to their number")
    func time() async throws {
        func time(for count: Int) async -> Duration {
            var shortest = Duration.seconds(1_000)
            for _ in 0..<3 {
                let cache = Cache()
                let server = HeldServer<Int, Int>()
                let tasks = (0..<count).map { number in
                    Task {
                        try await cache.load("\(number)") {
                            try await server.response(to: number)
                        }
                    }
                }
                #expect(await until { server.requests.count == count })
                let start = ContinuousClock.now
                #expect(cache.requests.count == count)
                let tokens = (0..<count).map { number in
                    cache.request("\(number)") { 1 }.loadStates.observe { _ in }
                }
                shortest = min(shortest, ContinuousClock.now - start)
                withExtendedLifetime(tokens) {}
                for task in tasks { task.cancel() }
                for task in tasks { _ = try? await task.value }
            }
            return shortest
        }
        // A quadratic time would be 64 times as long.
        #expect(await time(for: 4_000) < time(for: 500) * 32)
    }
}
