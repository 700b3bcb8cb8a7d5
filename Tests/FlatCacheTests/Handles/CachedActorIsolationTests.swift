import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests observations from an actor.
@Suite(.exclusive)
struct CachedActorIsolationTests {
    private actor Archive {
        nonisolated let revisions = Recorder<Int>()
        nonisolated let versions = Recorder<UInt64>()
        private(set) var observation: Disposable?
        private let onDeinit: @Sendable () -> Void

        init(_ onDeinit: @escaping @Sendable () -> Void = {}) {
            self.onDeinit = onDeinit
        }

        deinit { onDeinit() }

        func observe(_ station: Cached<Station>, initial: Bool = false) {
            observation = station.observe(isolation: #isolation, initial: initial) {
                [weak self] station in
                // A closure that captures the actor weakly isn't isolated to the actor.
                self?.assumeIsolated { $0.append(station.revision) }
            }
        }

        func observeChanges(_ station: Cached<Station>) {
            observation = station.observeChanges(isolation: #isolation) { change in
                self.preconditionIsolated()
                self.versions.append(change.version)
            }
        }

        /// Writes, and ends the observation before the cache can call the actor.
        func endAfter(_ write: () -> Void) {
            write()
            observation?.dispose()
        }

        /// Returns the token of a new observation to the caller, who ends it.
        func token(for station: Cached<Station>) -> Disposable {
            station.observe(isolation: #isolation) { self.append($0.revision) }
        }

        private func append(_ revision: Int) { revisions.append(revision) }
    }

    let cache = Cache()
    private var station: Cached<Station> { cache.cached(Station.self, id: 1) }

    @Test(.timeLimit(.minutes(15)))
    func isCalledOnTheActorInCommitOrder() async {
        let archive = Archive()
        cache.set(Station(id: 1, revision: 1))
        await archive.observe(station, initial: true)
        for revision in 2...100 { cache.set(Station(id: 1, revision: revision)) }
        cache.performBatchUpdates { batch in
            for _ in 1...10 { batch.touch(1) }
        }
        await expectRevisions(of: archive, Array(1...100) + [110])
    }

    @Test(.timeLimit(.minutes(15)))
    func callsAreInCommitOrderForWritesOnAnyThread() async {
        let archive = Archive()
        await archive.observeChanges(station)
        let writers = (0..<4).map { thread in
            RunningThread { [cache] in
                for step in 1...300 { cache.set(Station(id: 1, revision: thread * 1000 + step)) }
            }
        }
        #expect(await until { writers.allSatisfy(\.hasEnded) })
        #expect(await until { archive.versions.count >= 1200 })
        #expect(archive.versions.all == Array(1...1200))
    }

    @Test(.timeLimit(.minutes(15)))
    func afterDisposalOnTheActorNothingIsCalled() async {
        let archive = Archive()
        await archive.observe(station)
        await archive.endAfter { cache.set(Station(id: 1, revision: 1)) }
        let token = await archive.token(for: station)
        cache.touch(1)
        await expectRevisions(of: archive, [2])
        token.dispose()
    }

    @Test(.timeLimit(.minutes(15)))
    func disposalOnAnotherThreadReleasesTheClosureAndEndsCalls() async {
        let archive = Archive()
        await archive.observe(station)
        for round in 1...200 {
            weak var weakReceipt: Receipt?
            let observation = await Self.observe(station, on: archive, weakly: &weakReceipt)
            let writer = RunningThread { [cache] in cache.touch(1) }
            if round.isMultiple(of: 2) { await Task.yield() }
            observation.dispose()
            // The observer isn't released while the cache is calling it.
            #expect(await until { writer.hasEnded && weakReceipt == nil })
        }
        #expect(cache.core.watchedCount == 1)
    }

    @Test(.timeLimit(.minutes(15)))
    func actorThatHoldsItsTokenIsNotKeptAlive() async {
        let isGone = Signal()
        do {
            let archive = Archive { isGone.fire() }
            await archive.observe(station)
            cache.set(Station(id: 1, revision: 1))
            await expectRevisions(of: archive, [1])
        }
        // The token is released after the signal.
        #expect(await until { isGone.isFired && cache.core.watchedCount == 0 })
        cache.touch(1)
    }

    @Test(.timeLimit(.minutes(15)))
    func releasedActorsAreNeitherCalledNorRetained() async {
        let isGone = Signal()
        let calls = Recorder<Int>()
        let token: Disposable
        do {
            let archive = Archive { isGone.fire() }
            token = await Self.observe(station, on: archive) { calls.append($0.revision) }
            cache.set(Station(id: 1, revision: 1))
            #expect(await until { calls.count == 1 })
        }
        #expect(await until { isGone.isFired })
        weak var weakReceipt: Receipt?
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            cache.set(Loan(id: 1, receipt: receipt))
        }
        cache.touch(1)
        cache.remove(Loan.self, id: 1)
        #expect(calls.all == [1])
        #expect(weakReceipt == nil)
        token.dispose()
    }

    @Test func observingOutsideOfAnyActorTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let station = Cache().cached(Station.self, id: 1)
            _ = station.observe(isolation: nil) { _ in }
        }
        let message = try #require(result?.message)
        #expect(message.contains("observe(isolation:…) was called outside of any actor"))
    }

    @Test func observingChangesOutsideOfAnyActorTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let station = Cache().cached(Station.self, id: 1)
            _ = station.observeChanges(isolation: nil) { _ in }
        }
        let message = try #require(result?.message)
        #expect(message.contains("observeChanges(isolation:…) was called outside of any actor"))
    }

    // MARK: Helpers

    private func expectRevisions(
        of archive: Archive,
        _ revisions: [Int],
        at location: SourceLocation = #_sourceLocation
    ) async {
        #expect(await until { archive.revisions.count >= revisions.count })
        #expect(archive.revisions.all == revisions, sourceLocation: location)
    }

    private static func observe(
        _ station: Cached<Station>,
        on actor: isolated Archive,
        _ body: @escaping (Station) -> Void
    ) -> Disposable {
        station.observe(isolation: actor, body)
    }

    private static func observe(
        _ station: Cached<Station>,
        on actor: isolated Archive,
        weakly weakReceipt: inout Receipt?
    ) -> Disposable {
        let receipt = Receipt()
        weakReceipt = receipt
        return station.observe(isolation: actor) { _ in withExtendedLifetime(receipt) {} }
    }
}
