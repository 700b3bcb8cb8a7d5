import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CacheDeliveryTests {
    private actor Home {
        private let onDeinit: @Sendable () -> Void
        private(set) var visits = 0

        init(_ onDeinit: @escaping @Sendable () -> Void = {}) {
            self.onDeinit = onDeinit
        }

        deinit { onDeinit() }

        func visit() { visits += 1 }
    }

    @Test func inlineRunsNothingLater() {
        #expect(CacheDelivery.inline.runLater == nil)
    }

    @Test func passesItsWorkToItsFunction() {
        let scheduler = ManualScheduler()
        let isRun = Signal()
        scheduler.delivery.runLater? { isRun.fire() }
        #expect(scheduler.count == 1)
        #expect(!isRun.isFired)
        scheduler.runNext()
        #expect(isRun.isFired)
    }

    @Test(.timeLimit(.minutes(15)))
    func isolatedRunsOnItsActor() async {
        let home = Home()
        await withCheckedContinuation { done in
            CacheDelivery.isolated(to: home).runLater? {
                home.preconditionIsolated()
                home.assumeIsolated { $0.visit() }
                done.resume()
            }
        }
        #expect(await home.visits == 1)
    }

    @Test(.timeLimit(.minutes(15)))
    func isolatedRunsOnTheMainActor() async {
        await withCheckedContinuation { done in
            CacheDelivery.isolated(to: MainActor.shared).runLater? {
                MainActor.preconditionIsolated()
                done.resume()
            }
        }
    }

    @Test(.timeLimit(.minutes(15)))
    func isolatedKeepsItsActorAliveForAsLongAsTheCacheDeliversToIt() async {
        let isGone = Signal()
        let received = Recorder<Station.ID>()
        do {
            let cache = Cache(delivery: .isolated(to: Home { isGone.fire() }))
            let observation = cache.record(1, in: received)
            cache.set(Station(id: 1))
            #expect(await until { received.count == 1 })
            #expect(!isGone.isFired)
            observation.dispose()
        }
        #expect(await until { isGone.isFired })
    }
}
