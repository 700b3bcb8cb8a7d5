import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that the errors of failed loads are released after the locks.
///
/// The errors hold objects whose `deinit` calls the cache. Under a lock, it would wait for itself.
@Suite(.timeLimit(.minutes(15)))
struct ErrorReleaseTests {
    private struct Failure: Error {
        let receipt: Receipt
    }

    private let clock = ManualClock()
    private let cache: Cache
    private let released = Signal()
    /// Boolean values that indicate whether an error was released under the writers' lock.
    private let isLocked = Recorder<Bool>()

    init() { cache = Cache(configuration: CacheConfiguration(clock: clock)) }

    /// Returns an error that writes to the cache when it's released.
    private func failure(_ alsoCalling: @escaping @Sendable () -> Void = {}) -> Failure {
        let receipt = Receipt { [cache, released, isLocked] in
            isLocked.append(cache.core.writerLock.isHeldByCurrentThread)
            // The write needs the writers' lock, and the one of the remembered failures.
            cache.invalidate(PlainThing.self, id: 9)
            cache.set(PlainThing(id: 8, text: nil, detail: nil))
            alsoCalling()
            released.fire()
        }
        return Failure(receipt: receipt)
    }

    private func checkRelease(sourceLocation: SourceLocation = #_sourceLocation) async {
        #expect(await until { released.isFired }, sourceLocation: sourceLocation)
        #expect(isLocked.all == [false], sourceLocation: sourceLocation)
        #expect(cache.contains(PlainThing.self, id: 8), sourceLocation: sourceLocation)
    }

    // MARK: Remembered failures

    /// Makes a load of the entity 1 and a request fail with one error that the cache remembers.
    private func rememberFailure() async {
        let ended = Recorder<Void>()
        await fail(failure(), ended)
        // The tasks of the calls have released the error.
        #expect(await until { ended.count == 2 })
        #expect(!released.isFired)
    }

    private func fail(_ failure: Failure, _ ended: Recorder<Void>) async {
        let ends = (0..<2).map { _ in Receipt { ended.append(()) } }
        await #expect(throws: Failure.self) {
            try await cache.load(PlainThing.self, id: 1, rememberingFailures: .seconds(30)) {
                defer { withExtendedLifetime(ends[0]) {} }
                throw failure
            }
        }
        await #expect(throws: Failure.self) {
            try await cache.load("request", rememberingFailures: .seconds(30)) { [end = ends[1]] in
                defer { withExtendedLifetime(end) {} }
                throw failure
            }
        }
    }

    static let writes: [@Sendable (Cache) -> Void] = [
        { $0.removeAll() },
        {
            $0.remove(PlainThing.self, id: 1)
            $0.invalidate(request: "request")
        },
        {
            $0.invalidate(requestsWithPrefix: "req")
            $0.invalidate(PlainThing.self)
        },
        {
            $0.invalidate(request: "request")
            $0.setLoader(for: PlainThing.self) { _ in [] }
        },
        { cache in
            cache.performBatchUpdates { batch in
                batch.removeAll(PlainThing.self)
                cache.invalidate(request: "request")
                batch.set(PlainNote("written"))
            }
        },
    ]

    @Test(arguments: writes.indices)
    func errorThatAWriteForgetsIsReleasedAfterTheLocks(write: Int) async {
        await rememberFailure()
        Self.writes[write](cache)
        await checkRelease()
    }

    @Test func errorThatASuccessForgetsIsReleasedAfterTheLocks() async throws {
        await rememberFailure()
        _ = try await cache.load("request", policy: .networkOnly) { 1 }
        _ = try await cache.load(PlainThing.self, id: 1, policy: .networkOnly) { PlainThing("new") }
        await checkRelease()
    }

    @Test func errorThatAnotherOneReplacesIsReleasedAfterTheLocks() async {
        struct Other: Error {}
        await rememberFailure()
        await #expect(throws: Other.self) {
            try await cache.load(
                "request",
                policy: .networkOnly,
                rememberingFailures: .seconds(30)
            ) { throw Other() }
        }
        await #expect(throws: Other.self) {
            try await cache.load(
                PlainThing.self,
                id: 1,
                policy: .networkOnly,
                rememberingFailures: .seconds(30)
            ) { throw Other() }
        }
        await checkRelease()
    }

    @Test func droppedFailuresAreReturnedToBeReleasedLater() {
        var failures = LoadFailures()
        let keys = (0..<LoadFailures.limit).map { CacheKey(PlainThing.self, id: $0) }
        let other = CacheKey(PlainThing.self, id: -1)
        #expect(failures.insert(nil, of: keys, since: 0, until: 10, at: 0).isEmpty)
        #expect(failures.insert(nil, of: [keys[0]], since: 0, until: 20, at: 0).map(\.end) == [10])
        // Ended failures are dropped first.
        let ended = failures.insert(nil, of: [other], since: 0, until: 30, at: 10)
        #expect(ended.count == keys.count - 1)
        #expect(failures.count == 2)
        failures.insert(nil, of: Array(keys[2...]), since: 0, until: 40, at: 10)
        // The failures that end first are dropped.
        let dropped = failures.insert(nil, of: [keys[1]], since: 0, until: 40, at: 10)
        #expect(dropped.count == LoadFailures.limit + 1 - LoadFailures.limit / 2)
        #expect(Set(dropped.map(\.end)).isSuperset(of: [20, 30]))
        #expect(failures.count == LoadFailures.limit / 2)
    }

    // MARK: Handles

    /// The ends of a handle's pause.
    enum PauseEnd: CaseIterable, Sendable {
        case invalidation, removal, value, endOfObservation, endOfPause
    }

    @Test(arguments: PauseEnd.allCases)
    func errorOfAHandleIsReleasedAfterItsLock(end: PauseEnd) async throws {
        let handle = cache.cached(PlainThing.self, id: 1).loading()
        let calls = Recorder<Void>()
        cache.setLoader(for: PlainThing.self, gathering: .zero) { _ in
            calls.append(())
            if calls.count > 1 { return [PlainThing("loaded")] }
            throw failure { _ = handle.loadState }
        }
        let token = handle.observe { _ in }
        #expect(await until { handle.loadState.nextAttempt != nil && clock.sleeperCount == 1 })
        #expect(await until { cache.core.loads.isIdle })
        switch end {
        case .invalidation: cache.invalidate(PlainThing.self, id: 1)
        case .removal: cache.remove(PlainThing.self, id: 1)
        case .value: cache.set(PlainThing("written"))
        case .endOfObservation: token.dispose()
        case .endOfPause: clock.advance(by: .seconds(2))
        }
        await checkRelease()
        #expect(await until { handle.loadState.name == "idle" })
        token.dispose()
    }
}
