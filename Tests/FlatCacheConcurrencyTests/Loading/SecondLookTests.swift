import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the second look at the cache when a call begins, after its caller has decided to load.
@Suite(.timeLimit(.minutes(15)))
struct SecondLookTests {
    /// The loads of a text by a closure.
    enum Kind: CaseIterable, Sendable {
        case entity, entities, request

        func load(
            _ id: Int,
            in cache: Cache,
            requiring requirement: (@Sendable (PlainThing) -> Bool)? = nil,
            _ fetch: @escaping @Sendable () async throws -> String
        ) async throws -> String? {
            let fetchThing: @Sendable () async throws -> PlainThing = {
                PlainThing(id: id, text: try await fetch(), detail: nil)
            }
            switch self {
            case .entity:
                return try await cache.load(
                    PlainThing.self,
                    id: id,
                    requiring: requirement,
                    fetchThing
                )?.text
            case .entities:
                return try await cache.load(PlainThing.self, ids: [id], requiring: requirement) {
                    _ in [try await fetchThing()]
                }[id]?.text
            case .request:
                return try await cache.load("\(id)") { try await fetch() }
            }
        }
    }

    private let calls = Recorder<String>()

    // A request has no condition at which the test could hold up its caller.
    @Test(
        "A caller that has decided before another call's answer was stored makes no request",
        arguments: [Kind.entity, .entities]
    )
    func lateCaller(kind: Kind) async throws {
        let cache = Cache()
        cache.set(PlainThing("old"))
        cache.invalidate(PlainThing.self, id: 1)
        let request = LateRequest()
        let first = Task { [calls, call = request.call] in
            try await kind.load(1, in: cache) {
                try await call.wait()
                calls.append("first")
                return "first"
            }
        }
        #expect(await until { request.hasBegun })
        let gate = Gate()
        let second = Task(executorPreference: OwnThreadExecutor()) { [calls] in
            // The cache knows by then that the value is stale.
            let condition: @Sendable (PlainThing) -> Bool = { _ in
                gate.pass()
                return true
            }
            return try await kind.load(1, in: cache, requiring: condition) {
                calls.append("second")
                return "second"
            }
        }
        #expect(await until { gate.isReached })
        request.end()
        #expect(try await first.value == "first")
        #expect(await until { cache.core.loads.isIdle })
        gate.open()
        #expect(try await second.value == "first")
        #expect(calls.all == ["first"])
        #expect(await until { cache.hasForgottenLoads })
    }

    @Test(arguments: Kind.allCases)
    func callersThatComeTogetherMakeOneRequest(kind: Kind) async throws {
        let cache = Cache()
        for id in 0..<300 {
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<8 {
                    group.addTask { [calls] in
                        try await kind.load(id, in: cache) {
                            calls.append("call")
                            return "answer"
                        }
                    }
                }
                for try await text in group { #expect(text == "answer") }
            }
            guard calls.count == id + 1 else {
                Issue.record("The load of \(id) made \(calls.count - id) calls.")
                return
            }
        }
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
        #expect(await until { cache.core.loads.waiterCount(for: key) == number })
        return load
    }

    @Test("A value that's stored while a loader gathers answers for all but the network's callers")
    func valueWhileGathering() async throws {
        let clock = ManualClock()
        let cache = gatheringCache(clock)
        let first = await start(in: cache, asCaller: 1)
        let fromNetwork = await start(.networkOnly, in: cache, asCaller: 2)
        #expect(await until { clock.sleeperCount == 1 })
        cache.set(Book(id: 1, title: "written"))
        clock.advance(by: .seconds(1))
        #expect(try await first.value?.title == "written")
        #expect(calls.all == [])
        // The caller makes a call of its own, which gathers as well.
        #expect(await until { clock.sleeperCount == 1 })
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
        #expect(await until { clock.sleeperCount == 1 })
        cache.set(Book(id: 1, title: "written"))
        clock.advance(by: .seconds(1))
        #expect(try await row.value == Book(id: 1, title: "written"))
        #expect(await until { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(1))
        #expect(try await detail.value?.year == 1974)
        #expect(calls.all == ["[1]"])
    }
}
