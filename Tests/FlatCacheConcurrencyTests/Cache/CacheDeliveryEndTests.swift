import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests pending calls when an observation ends or its cache is released.
@Suite(.exclusive)
struct CacheDeliveryEndTests {
    /// The owner of the delivery that makes an observer's calls.
    enum Owner: CaseIterable, Sendable {
        case cache, observation, both
    }

    /// A cache and an observation of one of its entities, whose calls wait for the test.
    private final class Setting {
        let scheduler = ManualScheduler()
        let received = Recorder<Int>()
        let owner: Owner
        private(set) var cache: Cache?
        private(set) var observation: Disposable?
        /// An object that only the observer retains.
        private(set) weak var receipt: Receipt?

        init(_ owner: Owner, then react: @escaping @Sendable (Station) -> Void = { _ in }) {
            self.owner = owner
            cache = Cache(delivery: owner == .observation ? .inline : scheduler.delivery)
            let receipt = Receipt()
            self.receipt = receipt
            observation = cache?.cached(Station.self, id: 1).observe(
                delivery: owner == .cache ? .inline : scheduler.delivery
            ) { [received] station in
                withExtendedLifetime(receipt) { received.append(station.revision) }
                react(station)
            }
        }

        func write(_ revisions: ClosedRange<Int>) {
            for revision in revisions { cache?.set(Station(id: 1, revision: revision)) }
        }

        func dropCache() { cache = nil }

        func dropObservation() { observation = nil }
    }

    @Test(arguments: Owner.allCases)
    func disposalBeforeTheSchedulerRunsDropsAllCallsAndReleasesTheObserver(owner: Owner) {
        let setting = Setting(owner)
        setting.write(1...3)
        #expect(setting.receipt != nil)
        setting.observation?.dispose()
        #expect(setting.receipt == nil)
        setting.scheduler.runAll()
        #expect(setting.received.all == [])
        #expect(setting.cache?.core.watchedCount == 0)
    }

    @Test(arguments: Owner.allCases)
    func deallocationOfTheTokenDoesTheSame(owner: Owner) {
        let setting = Setting(owner)
        setting.write(1...3)
        setting.dropObservation()
        #expect(setting.receipt == nil)
        setting.scheduler.runAll()
        #expect(setting.received.all == [])
    }

    @Test(arguments: Owner.allCases)
    func disposalInsideTheCallbackDropsPendingCalls(owner: Owner) {
        let token = Locked<Disposable?>(nil)
        let setting = Setting(owner) { station in
            if station.revision == 2 { token.withLock { $0 }?.dispose() }
        }
        token.withLock { $0 = setting.observation }
        setting.write(1...4)
        setting.scheduler.runAll()
        #expect(setting.received.all == [1, 2])
        #expect(setting.receipt == nil)
        token.withLock { $0 = nil }
    }

    @Test(.timeLimit(.minutes(15)), arguments: Owner.allCases)
    func disposalOnAnotherThreadDoesNotWaitForTheCallAndDropsTheNext(owner: Owner) {
        let isInside = Signal()
        let mayReturn = Signal()
        let setting = Setting(owner) { _ in
            isInside.fire()
            #expect(mayReturn.wait())
        }
        setting.write(1...3)
        let caller = RunningThread { [scheduler = setting.scheduler] in scheduler.runAll() }
        #expect(isInside.wait())
        setting.observation?.dispose()
        mayReturn.fire()
        #expect(caller.wait())
        setting.scheduler.runAll()
        #expect(setting.received.all == [1])
        #expect(setting.receipt == nil)
    }

    @Test(.timeLimit(.minutes(15)), arguments: Owner.allCases)
    func disposalWhileACallStartsLeavesNoneForLater(owner: Owner) {
        for _ in 0..<100 {
            let setting = Setting(owner)
            setting.write(1...3)
            let tokens = [setting.observation]
            let ended = onThreads(2) { [scheduler = setting.scheduler] thread in
                if thread == 0 {
                    scheduler.runAll()
                } else {
                    for token in tokens { token?.dispose() }
                }
            }
            #expect(ended)
            #expect(setting.receipt == nil)
            let received = setting.received.all
            #expect(received == Array([1, 2, 3].prefix(received.count)))
            setting.write(4...5)
            setting.scheduler.runAll()
            #expect(setting.received.all == received)
        }
    }

    @Test(arguments: Owner.allCases)
    func commitsBeforeTheCacheIsReleasedAreDeliveredThenTheObserverIsReleased(owner: Owner) {
        let setting = Setting(owner)
        weak var weakCache: Cache?
        weakCache = setting.cache
        setting.write(1...3)
        setting.dropCache()
        #expect(weakCache == nil)
        #expect(setting.received.all == [])
        #expect(setting.receipt != nil)
        setting.scheduler.runAll()
        #expect(setting.received.all == [1, 2, 3])
        #expect(setting.receipt == nil)
    }

    @Test(arguments: Owner.allCases)
    func observerWithoutPendingCallsIsReleasedWithTheCache(owner: Owner) {
        let setting = Setting(owner)
        setting.write(1...1)
        setting.scheduler.runAll()
        #expect(setting.receipt != nil)
        setting.dropCache()
        setting.scheduler.runAll()
        #expect(setting.receipt == nil)
        #expect(setting.received.all == [1])
    }

    @Test(arguments: Owner.allCases)
    func disposalAfterTheReleaseOfTheCacheDropsPendingCalls(owner: Owner) {
        let setting = Setting(owner)
        setting.write(1...3)
        setting.dropCache()
        setting.observation?.dispose()
        #expect(setting.receipt == nil)
        setting.scheduler.runAll()
        #expect(setting.received.all == [])
    }

    @Test(arguments: Owner.allCases)
    func observersOfATypeReceiveCommitsBeforeTheReleaseOfTheCache(owner: Owner) {
        let scheduler = ManualScheduler()
        let received = Recorder<UInt64>()
        weak var weakReceipt: Receipt?
        var cache: Cache? = Cache(delivery: owner == .observation ? .inline : scheduler.delivery)
        let observation: Disposable?
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            observation = cache?.observeAll(
                Station.self,
                delivery: owner == .cache ? .inline : scheduler.delivery
            ) { commit in
                withExtendedLifetime(receipt) { received.append(commit.version) }
            }
        }
        for id in 1...3 { cache?.set(Station(id: id)) }
        cache = nil
        #expect(weakReceipt != nil)
        scheduler.runAll()
        #expect(received.all == [1, 2, 3])
        #expect(weakReceipt == nil)
        observation?.dispose()
    }

    @Test func pendingCallsRetainOnlyTheirValues() {
        let scheduler = ManualScheduler()
        let cache = Cache(delivery: scheduler.delivery)
        weak var weakReceipt: Receipt?
        let observation = cache.cached(Loan.self, id: 1).observe { _ in }
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            cache.set(Loan(id: 1, receipt: receipt))
        }
        cache.remove(Loan.self, id: 1)
        #expect(weakReceipt != nil)
        scheduler.runAll()
        #expect(weakReceipt == nil)
        observation.dispose()
    }

    @Test func unusedDeliveryIsReleased() {
        weak var weakReceipt: Receipt?
        let cache = Cache()
        var observation: Disposable?
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            let delivery = CacheDelivery { work in withExtendedLifetime(receipt) { work() } }
            observation = cache.cached(Station.self, id: 1).observe(delivery: delivery) { _ in }
        }
        cache.set(Station(id: 1))
        #expect(weakReceipt != nil)
        withExtendedLifetime(observation) {}
        observation = nil
        #expect(weakReceipt == nil)
    }
}
