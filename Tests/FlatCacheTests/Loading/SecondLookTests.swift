import Testing

@testable import FlatCache

/// Tests the second look at the cache when a call begins, after its caller has decided to load.
@Suite(.timeLimit(.minutes(15)))
struct SecondLookTests {
    /// The loads that share the calls of other loads.
    enum Kind: CaseIterable, Sendable {
        case entity, entities, request

        /// Loads a text by a closure if the stored one is stale.
        func load(
            in cache: Cache,
            _ fetch: @escaping @Sendable () async throws -> String
        ) async throws -> String? {
            switch self {
            case .entity:
                try await cache.load(PlainThing.self, id: 1) { PlainThing(try await fetch()) }?.text
            case .entities:
                try await cache.load(PlainThing.self, ids: [1]) { _ in
                    [PlainThing(try await fetch())]
                }[1]?.text
            case .request:
                try await cache.load("text", staleAfter: .seconds(60)) { try await fetch() }
            }
        }
    }

    private let calls = Recorder<String>()

    @Test("A caller that has decided before another call's answer was stored makes no request")
    func lateCaller() async throws {
        for kind in Kind.allCases { try await checkLateCaller(kind) }
    }

    private func checkLateCaller(_ kind: Kind) async throws {
        let clock = HeldClock()
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.limit(PlainThing.self, .forever, staleAfter: .after(.seconds(60)))
        #expect(try await kind.load(in: cache) { "old" } == "old")
        clock.advance(by: .seconds(60))

        calls.removeAll()
        let request = LateRequest()
        let first = Task { [calls, call = request.call] in
            try await kind.load(in: cache) {
                try await call.wait()
                calls.append("first")
                return "first"
            }
        }
        #expect(await soon { request.hasBegun })
        let gate = HeldClock.Gate()
        let second = Task(executorPreference: OwnThreadExecutor()) { [calls] in
            try await HeldClock.$gate.withValue(gate) {
                try await kind.load(in: cache) {
                    calls.append("second")
                    return "second"
                }
            }
        }
        #expect(await soon { gate.isReached })
        request.end()
        #expect(try await first.value == "first")
        #expect(await soon { cache.core.loads.isIdle })
        gate.open()
        #expect(try await second.value == "first", "\(kind)")
        #expect(calls.all == ["first"], "\(kind)")
        #expect(await soon { cache.hasForgottenLoads })
    }

    // MARK: Callers that need more

    /// A cache with a loader that gathers for a second.
    private func gatheringCache(_ clock: ManualClock) -> Cache {
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        cache.setLoader(for: Book.self, gathering: .seconds(1)) { [calls] ids in
            calls.append("\(ids)")
            return ids.map { Book(id: $0, title: "loaded", year: 1974) }
        }
        return cache
    }

    /// Starts a load by the loader, and waits until it has joined the call.
    private func start(
        _ policy: LoadPolicy = .cacheFirst,
        requiring requirement: (@Sendable (Book) -> Bool)? = nil,
        in cache: Cache,
        asCaller number: Int
    ) async -> Task<Book?, any Error> {
        let load = Task {
            try await cache.load(Book.self, id: 1, policy: policy, requiring: requirement)
        }
        let key = CacheKey(Book.self, id: 1)
        #expect(await soon { cache.core.loads.waiterCount(for: key) == number })
        return load
    }

    @Test("A value that's stored while a loader gathers answers for all but the network's callers")
    func valueWhileGathering() async throws {
        let clock = ManualClock()
        let cache = gatheringCache(clock)
        let first = await start(in: cache, asCaller: 1)
        let fromNetwork = await start(.networkOnly, in: cache, asCaller: 2)
        #expect(await soon { clock.sleeperCount == 1 })
        cache.set(Book(id: 1, title: "written"))
        clock.advance(by: .seconds(1))
        #expect(try await first.value?.title == "written")
        #expect(calls.all == [])
        // The caller makes a call of its own, which gathers as well.
        #expect(await soon { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(1))
        #expect(try await fromNetwork.value?.title == "loaded")
        #expect(calls.all == ["[1]"])
    }

    @Test("A partial value that's stored while a loader gathers doesn't answer for the detail")
    func partialValueWhileGathering() async throws {
        let clock = ManualClock()
        let cache = gatheringCache(clock)
        let row = await start(in: cache, asCaller: 1)
        let detail = await start(requiring: { $0.year != nil }, in: cache, asCaller: 2)
        #expect(await soon { clock.sleeperCount == 1 })
        cache.set(Book(id: 1, title: "written"))
        clock.advance(by: .seconds(1))
        #expect(try await row.value == Book(id: 1, title: "written"))
        #expect(await soon { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(1))
        #expect(try await detail.value?.year == 1974)
        #expect(calls.all == ["[1]"])
    }
}
