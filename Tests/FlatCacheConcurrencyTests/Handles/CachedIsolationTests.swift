import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests observations from the main actor, written as in a view model: the class needs no
/// annotation beyond its own.
@Suite(.exclusive)
@MainActor
struct CachedIsolationTests {
    @MainActor
    private final class Screen {
        private let receivedRevisions = Recorder<Int>()
        private let receivedKinds = Recorder<EntityChange<Station>.Kind>()
        private(set) var observation: Disposable?
        private(set) var changeObservation: Disposable?
        var react: (Int) -> Void = { _ in }

        var revisions: [Int] { receivedRevisions.all }
        var kinds: [EntityChange<Station>.Kind] { receivedKinds.all }

        func observe(
            _ station: Cached<Station>,
            initial: Bool = false,
            following: RelationshipDepth = .allRelationships
        ) {
            observation = station.following(following).observe(
                isolation: #isolation,
                initial: initial
            ) { [weak self] station in
                MainActor.preconditionIsolated()
                self?.receivedRevisions.append(station.revision)
                self?.react(station.revision)
            }
        }

        func observeChanges(
            _ station: Cached<Station>,
            following: RelationshipDepth = .allRelationships
        ) {
            changeObservation = station.following(following).observeChanges(isolation: #isolation) {
                [weak self] change in
                MainActor.preconditionIsolated()
                self?.receivedKinds.append(change.kind)
            }
        }

        func end() {
            observation?.dispose()
            changeObservation?.dispose()
        }
    }

    let cache = Cache()
    private let screen = Screen()
    private var station: Cached<Station> { cache.cached(Station.self, id: 1) }

    @Test(.timeLimit(.minutes(15)))
    func isCalledOnTheMainActorLaterAndInCommitOrder() async {
        screen.observe(station)
        for revision in 1...100 { cache.set(Station(id: 1, revision: revision)) }
        #expect(screen.revisions == [])
        #expect(await until { screen.revisions.count == 100 })
        #expect(screen.revisions == Array(1...100))
    }

    @Test(.timeLimit(.minutes(15)))
    func receivesChangesOfEachKind() async {
        screen.observeChanges(station)
        cache.set(Station(id: 1, next: [2]))
        cache.touch(1)
        cache.set(Station(id: 2))
        station.value = nil
        #expect(await until { screen.kinds.count == 4 })
        #expect(screen.kinds == [.inserted, .updated, .related, .removed(.explicit)])
    }

    @Test(.timeLimit(.minutes(15)))
    func initialCallIsFirstAndOnTheActor() async {
        cache.set(Station(id: 1, revision: 1))
        screen.observe(station, initial: true)
        #expect(screen.revisions == [])
        cache.touch(1)
        #expect(await until { screen.revisions.count == 2 })
        #expect(screen.revisions == [1, 2])
    }

    @Test(.timeLimit(.minutes(15)))
    func withoutAValueThereIsNoInitialCall() async {
        screen.observe(station, initial: true)
        cache.set(Station(id: 1, revision: 1))
        #expect(await until { screen.revisions.count == 1 })
        #expect(screen.revisions == [1])
    }

    @Test(.timeLimit(.minutes(15)))
    func batchIsOneCall() async {
        screen.observe(station)
        cache.performBatchUpdates { batch in
            for revision in 1...10 { batch.set(Station(id: 1, revision: revision)) }
        }
        cache.touch(1)
        #expect(await until { screen.revisions.count == 2 })
        #expect(screen.revisions == [10, 11])
    }

    @Test(.timeLimit(.minutes(15)))
    func followsRelationshipsToTheGivenDepth() async {
        cache.set(contentsOf: [Station(id: 1, next: [2]), Station(id: 2, next: [3])])
        screen.observe(station, following: .none)
        screen.observeChanges(station, following: .levels(1))
        cache.touch(2)
        cache.set(Station(id: 3))
        cache.touch(1)
        #expect(await until { screen.revisions.count == 1 && screen.kinds.count == 2 })
        #expect(screen.revisions == [1])
        #expect(screen.kinds == [.related, .updated])
    }

    @Test(.timeLimit(.minutes(15)))
    func afterDisposalOnTheActorNothingIsCalled() async {
        screen.observe(station)
        screen.observeChanges(station)
        cache.set(Station(id: 1, revision: 1))
        screen.end()
        let other = Screen()
        other.observe(station)
        cache.touch(1)
        #expect(await until { other.revisions == [2] })
        #expect(screen.revisions == [])
        #expect(screen.kinds == [])
    }

    @Test(.timeLimit(.minutes(15)))
    func disposalInTheCallDropsPendingCalls() async {
        screen.react = { [unowned screen] revision in
            if revision == 2 { screen.end() }
        }
        screen.observe(station)
        for revision in 1...4 { cache.set(Station(id: 1, revision: revision)) }
        let other = Screen()
        other.observe(station)
        cache.touch(1)
        // Observers on one actor are called in no particular order.
        #expect(await until { other.revisions == [5] && screen.revisions.count >= 2 })
        #expect(screen.revisions == [1, 2])
    }

    @Test(.timeLimit(.minutes(15)))
    func disposalOnAnotherThreadEndsCalls() async {
        screen.observe(station)
        cache.set(Station(id: 1, revision: 1))
        let observation = screen.observation
        // This test occupies the main actor, so the pending call can't run yet.
        let isDisposed = Signal()
        let thread = RunningThread {
            observation?.dispose()
            isDisposed.fire()
        }
        #expect(thread.wait())
        #expect(isDisposed.isFired)
        let other = Screen()
        other.observe(station)
        cache.touch(1)
        #expect(await until { other.revisions == [2] })
        #expect(screen.revisions == [])
    }

    @Test(.timeLimit(.minutes(15)))
    func disposalReleasesTheClosureAtOnce() {
        weak var weakReceipt: Receipt?
        let observation: Disposable
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            observation = station.observe(isolation: #isolation) { _ in
                withExtendedLifetime(receipt) {}
            }
        }
        cache.set(Station(id: 1))
        #expect(weakReceipt != nil)
        observation.dispose()
        #expect(weakReceipt == nil)
    }

    @Test(.timeLimit(.minutes(15)))
    func commitsBeforeTheCacheIsReleasedAreDeliveredThenTheClosureIsReleased() async {
        let weakReceipt: Weak<Receipt>
        var received: [Int] = []
        let observation: Disposable
        do {
            let cache = Cache()
            let receipt = Receipt()
            weakReceipt = Weak(receipt)
            let station = cache.cached(Station.self, id: 1)
            observation = station.observe(isolation: #isolation) { station in
                withExtendedLifetime(receipt) { received.append(station.revision) }
            }
            for revision in 1...3 { cache.set(Station(id: 1, revision: revision)) }
        }
        #expect(await until { weakReceipt.object == nil })
        #expect(received == [1, 2, 3])
        observation.dispose()
    }

    @Test(.timeLimit(.minutes(15)))
    func observerReceivesItsOwnWrites() async {
        screen.react = { [cache] revision in
            if revision < 500 { cache.touch(1) }
        }
        screen.observe(station)
        cache.set(Station(id: 1, revision: 1))
        #expect(await until { screen.revisions.count == 500 })
        #expect(screen.revisions == Array(1...500))
    }

    @Test(.timeLimit(.minutes(15)))
    func callsAreInCommitOrderForWritesOnAnyThread() async {
        let versions = Recorder<UInt64>()
        let observation = station.observeChanges(isolation: #isolation) { change in
            MainActor.preconditionIsolated()
            versions.append(change.version)
        }
        let writers = (0..<4).map { thread in
            RunningThread { [cache] in
                for step in 1...300 { cache.set(Station(id: 1, revision: thread * 1000 + step)) }
            }
        }
        #expect(await until { writers.allSatisfy(\.hasEnded) && versions.count == 1200 })
        #expect(versions.all == Array(1...1200))
        observation.dispose()
    }
}
