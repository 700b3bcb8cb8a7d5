import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that changes by another thread wake a test.
@Suite(.timeLimit(.minutes(15)))
struct StateTrackingTests {
    private let cache = Cache()

    @Test("A commit wakes a test that has read nothing but the version")
    func version() async {
        let isEvaluated = Signal()
        let writer = RunningThread { [cache] in
            _ = isEvaluated.wait()
            cache.set(Station(id: 1))
        }
        #expect(
            await until {
                isEvaluated.fire()
                return cache.version == 1
            }
        )
        #expect(await until { writer.hasEnded })
    }
}
