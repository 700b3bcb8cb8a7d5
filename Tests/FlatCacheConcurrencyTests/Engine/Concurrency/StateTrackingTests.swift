import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the waits of tests for state that another thread changes.
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
