import Foundation
import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct EntitySourceTests {
    let clock = SleeplessClock()
    let cache: Cache
    let ada = Profile(id: 1, name: "Ada", mail: "ada")
    let asked = Recorder<[Int]>()

    init() {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Profile.self, .unlimited, staleAfter: .seconds(60))
        cache = Cache(configuration: configuration)
        clock.advance(by: .seconds(1_000))
    }

    private func attached(_ profiles: [Profile], gate: Signal? = nil) -> ArchiveSource {
        let source = ArchiveSource(profiles, gate: gate)
        source.attach(to: cache)
        return source
    }

    private func load(
        _ id: Int,
        policy: LoadPolicy = .cacheFirst,
        requiring requirement: (@Sendable (Profile) -> Bool)? = nil
    ) async throws -> Profile? {
        try await cache.load(Profile.self, id: id, policy: policy, requiring: requirement) {
            [asked] in
            asked.append([id])
            return Profile(id: id, name: "network")
        }
    }

    @Test func loadAsksTheSourceBeforeTheNetwork() async throws {
        let source = attached([ada])
        #expect(try await load(1) == ada)
        #expect(try await load(1) == ada)
        #expect(try await load(2)?.name == "network")
        #expect(source.questions.all == [[1], [2]])
        #expect(asked.all == [[2]])
    }

    @Test func loadOfSeveralEntitiesAsksOnceAndRequestsTheRest() async throws {
        let source = attached([ada, Profile(id: 3, name: "Cy")])
        cache.set(Profile(id: 4, name: "stored"))
        let values = try await cache.load(Profile.self, ids: [1, 2, 3, 4]) { [asked] ids in
            asked.append(ids.sorted())
            return ids.map { Profile(id: $0, name: "network") }
        }
        #expect(values.mapValues(\.name) == [1: "Ada", 2: "network", 3: "Cy", 4: "stored"])
        #expect(source.questions.all == [[1, 2, 3]])
        #expect(asked.all == [[2]])
    }

    @Test func concurrentLoadsShareOneQuestion() async throws {
        let gate = Signal()
        let source = attached([ada], gate: gate)
        let loads = (0..<5).map { _ in Task { try await load(1) } }
        let key = CacheKey(Profile.self, id: 1)
        #expect(await until { cache.core.sourceCalls.waiterCount(for: key) == 5 })
        gate.fire()
        for load in loads { #expect(try await load.value == ada) }
        #expect(source.questions.all == [[1]])
        #expect(asked.count == 0)
        #expect(cache.core.sourceCalls.isIdle)
    }

    @Test func restoredStaleValueIsLoadedAgain() async throws {
        let source = attached([])
        source.profiles.withLock { rows in
            for id in 1...3 {
                rows[id] = .init(
                    value: Profile(id: id, name: "row"),
                    freshness: StoredFreshness(age: .seconds(90))
                )
            }
        }
        #expect(try await load(1)?.name == "network")
        #expect(try await load(2, policy: .cacheOnly)?.name == "row")
        #expect(try await load(3, policy: .staleWhileRevalidate)?.name == "row")
        #expect(await until { cache.get(Profile.self, id: 3)?.name == "network" })
        #expect(asked.all == [[1], [3]])
    }

    @Test func requirementAppliesToTheRestoredParts() async throws {
        let source = attached([ada, Profile(id: 2, name: "row")])
        cache.set(Profile(id: 1, name: "partial"))
        let value = try await load(1) { $0.mail != nil }
        #expect(value == Profile(id: 1, name: "partial", mail: "ada"))
        let other = try await load(2) { $0.mail != nil }
        #expect(other?.name == "network")
        #expect(source.questions.all == [[1], [2]])
        #expect(asked.all == [[2]])
    }

    @Test func sourceIsNotAskedForStoredEntitiesNorByNetworkOnly() async throws {
        let source = attached([ada])
        #expect(try await load(1, policy: .networkOnly)?.name == "network")
        clock.advance(by: .seconds(61))
        #expect(cache.freshness(of: Profile.self, id: 1).isStale)
        #expect(try await load(1)?.name == "network")
        #expect(source.questions.count == 0)
    }

    @Test func cancelledLoadLeavesTheQuestion() async throws {
        let gate = Signal()
        let source = attached([ada], gate: gate)
        let task = Task { try await load(1) }
        #expect(await until { source.questions.count == 1 })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.fire()
        #expect(await until { cache.get(Profile.self, id: 1) != nil })
    }

    @Test func handleAsksTheSourceBeforeItsLoader() async throws {
        let source = attached([ada])
        cache.setLoader(for: Profile.self, gathering: .zero) { [asked] ids in
            asked.append(ids)
            return ids.map { Profile(id: $0, name: "network") }
        }
        let handles = (1...2).map { cache.cached(Profile.self, id: $0).loading() }
        let tokens = handles.map { $0.observe { _ in } }
        #expect(await until { handles.allSatisfy { $0.value != nil } })
        #expect(handles.map(\.value?.name) == ["Ada", "network"])
        #expect(asked.all == [[2]])
        #expect(Set(source.questions.all.joined()) == [1, 2])
        withExtendedLifetime(tokens) {}
    }

    @Test func observedMissingEntitiesAreRestored() async {
        struct Team: Identifiable, Sendable, HasCachedRelationships {
            let id: Int
            let members: [Int]
            var relatedCacheKeys: Set<CacheKey> {
                Set(members.map { CacheKey(Profile.self, id: $0) })
            }
        }
        let early = Recorder<Int>()
        let tokens = Recorder<Disposable>()
        tokens.append(cache.cached(Profile.self, id: 5).observe { early.append($0.id) })
        let source = attached([ada, Profile(id: 2), Profile(id: 5)])
        #expect(await until { early.count == 1 })
        cache.set(Team(id: 7, members: [1, 2]))
        #expect(cache.count(of: Profile.self) == 1)
        tokens.append(cache.cached(Team.self, id: 7).observe { _ in })
        #expect(await until { cache.count(of: Profile.self) == 3 })
        // A removed entity isn't asked for, nor an entity that nothing observes.
        cache.remove(Profile.self, id: 1)
        cache.set(Team(id: 8, members: [3]))
        #expect(await until { cache.core.sourceCalls.isIdle })
        #expect(Set(source.questions.all.joined()) == [1, 2, 5])
        source.detach()
        tokens.append(cache.cached(Profile.self, id: 9).observe { _ in })
        #expect(cache.core.sourceCalls.isIdle)
    }

    @Test func entityThatIsObservedDuringABatchIsRestored() async {
        let source = attached([ada])
        let (entered, observed) = (Signal(), Signal())
        let tokens = Recorder<Disposable>()
        Thread.detachNewThread { [cache] in
            cache.performBatchUpdates { batch in
                entered.fire()
                _ = observed.wait()
                batch.set(Profile(id: 3))
            }
        }
        #expect(await until { entered.isFired })
        tokens.append(cache.cached(Profile.self, id: 1).observe { _ in })
        observed.fire()
        #expect(await until { cache.get(Profile.self, id: 1) == ada })
        #expect(source.questions.all == [[1]])
    }

    @Test func requestAsksTheSourceBeforeItsClosure() async throws {
        let source = attached([])
        source.responses.withLock {
            $0["fresh"] = ([1, 2], .seconds(10))
            $0["stale"] = ([3], .seconds(-10))
            $0["other"] = ("text", nil)
        }
        func load(_ name: String, _ policy: LoadPolicy = .cacheFirst) async throws -> [Int] {
            try await cache.load(name, staleAfter: .seconds(60), policy: policy) { [asked] in
                asked.append([name.count])
                return [0]
            }
        }
        #expect(try await load("fresh") == [1, 2])
        #expect(asked.count == 0)
        #expect(try await load("stale", .cacheOnly) == [3])
        #expect(cache.freshness(ofRequest: "stale").isStale)
        #expect(try await load("stale") == [0])
        #expect(try await load("other") == [0])
        #expect(try await load("none") == [0])
        #expect(asked.count == 3)
        #expect(source.requests.all == ["fresh", "stale", "other", "none"])
        clock.advance(by: .seconds(11))
        #expect(cache.freshness(ofRequest: "fresh").isStale)
    }

    @Test func sourceEndsWithItsTokenOrWithTheCache() async throws {
        weak var first: ArchiveSource?
        weak var second: ArchiveSource?
        var cache: Cache? = Cache()
        do {
            let sources = (ArchiveSource([ada]), ArchiveSource([ada]))
            (first, second) = sources
            cache.map(sources.0.attach)
            sources.0.detach()
            cache.map(sources.1.attach)
            cache = nil
            sources.1.detach()
        }
        #expect(first == nil)
        #expect(second == nil)
    }
}
