import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct ObserverTests {
    @Test func manyCallsOfOneObserverLeaveItAsItWas() {
        // If each call wrapped the closure again, the calls would finally overflow the stack.
        let cache = Cache()
        let calls = Locked(0)
        let thread = RunningThread(stackSize: 1 << 20) {
            let observation = cache.cached(Station.self, id: 1).observe { _ in
                calls.withLock { $0 += 1 }
            }
            for revision in 0..<20_000 { cache.set(Station(id: 1, revision: revision)) }
            observation.dispose()
        }
        #expect(thread.wait())
        #expect(calls.withLock { $0 } == 20_000)
    }
}
