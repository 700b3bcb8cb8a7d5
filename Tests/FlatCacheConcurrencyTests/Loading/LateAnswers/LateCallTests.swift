import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests loads that begin after a removal or an invalidation, while an earlier call is running.
@Suite(.timeLimit(.minutes(15)))
struct LateCallTests {
    /// A withdrawal of the entity 1 whose next load must not share the running call.
    enum Withdrawal: String, CaseIterable, Sendable {
        case remove, removeMissing, removeType, removeEverything, removeInBatch, removeOwner
        case invalidate, invalidateMissing, invalidateType, invalidateWhere

        func perform(on cache: Cache) {
            let type = PlainThing.self
            switch self {
            case .remove, .removeMissing: cache.remove(type, id: 1)
            case .removeType: cache.removeAll(type)
            case .removeEverything: cache.removeAll()
            case .removeInBatch: cache.performBatchUpdates { $0.remove(type, id: 1) }
            case .removeOwner:
                cache.set(LateOwner<PlainThing>(id: 1))
                cache.remove(LateOwner<PlainThing>.self, id: 1)
            case .invalidate, .invalidateMissing: cache.invalidate(type, id: 1)
            case .invalidateType: cache.invalidate(type)
            case .invalidateWhere: cache.invalidate(type) { _ in true }
            }
        }

        var startsMissing: Bool { self == .removeMissing || self == .invalidateMissing }
    }

    private struct Failure: Error {}

    let cache = Cache()
    private let key = CacheKey(PlainThing.self, id: 1)

    private func start(
        _ text: String,
        after request: LateRequest
    ) async -> Task<PlainThing?, any Error> {
        let load = LateAnswer.loaded.start(PlainThing(text), in: cache, after: request)
        #expect(await until { request.hasBegun })
        return load
    }

    @Test(arguments: Withdrawal.allCases, [false, true])
    func loadAfterAWithdrawalStartsItsOwnCall(
        withdrawal: Withdrawal,
        laterEndsFirst: Bool
    ) async throws {
        if !withdrawal.startsMissing { cache.set(PlainThing("old")) }
        let (earlier, later) = (LateRequest(), LateRequest())
        let first = await start("first", after: earlier)
        withdrawal.perform(on: cache)
        let second = await start("second", after: later)
        for request in laterEndsFirst ? [later, earlier] : [earlier, later] {
            request.end()
            let isFirst = request === earlier
            let returned = try await (isFirst ? first : second).value
            #expect(returned?.text == (isFirst ? "first" : "second"))
            if !isFirst || laterEndsFirst {
                #expect(cache.get(PlainThing.self, id: 1)?.text == "second")
                #expect(cache.freshness(of: PlainThing.self, id: 1).isFresh)
            } else {
                #expect(!cache.freshness(of: PlainThing.self, id: 1).isFresh)
            }
        }
        #expect(await until { cache.hasForgottenLoads })
        cache.core.loads.checkInvariants()
    }

    @Test func loadAfterAWriteJoinsTheCall() async throws {
        let request = LateRequest()
        let first = await start("answer", after: request)
        cache.set(PlainThing("written"))
        let second = Task { [cache] in
            try await cache.load(PlainThing.self, id: 1, policy: .networkOnly) {
                PlainThing("another call")
            }
        }
        #expect(await until { cache.core.loads.waiterCount(for: key) == 2 })
        request.end()
        #expect(try await first.value?.text == "answer")
        #expect(try await second.value?.text == "answer")
        #expect(cache.get(PlainThing.self, id: 1)?.text == "written")
    }

    @Test(arguments: [false, true])
    func withdrawalThatIsRolledBackSeparatesNothing(isInner: Bool) async throws {
        cache.set(PlainThing("old"))
        let request = LateRequest()
        let load = await start("answer", after: request)
        let fail = { [cache] in
            try? cache.performBatchUpdates { batch in
                batch.remove(PlainThing.self, id: 1)
                batch.invalidate(PlainThing.self)
                batch.removeAll()
                throw Failure()
            }
        }
        if isInner { cache.performBatchUpdates { _ in fail() } } else { fail() }
        #expect(cache.core.loads.waiterCount(for: key) == 1)
        request.end()
        #expect(try await load.value?.text == "answer")
        #expect(cache.get(PlainThing.self, id: 1)?.text == "answer")
    }

    @Test(arguments: ["eviction", "pruning", "another entity", "another type"])
    func otherRemovalsSeparateNothing(kind: String) async throws {
        cache.set(PlainThing("old"))
        let request = LateRequest()
        let load = await start("answer", after: request)
        switch kind {
        case "eviction": cache.trim(to: .count(0))
        case "pruning": cache.pruneUnobservedValues()
        case "another entity": cache.remove(PlainThing.self, id: 2)
        default:
            cache.removeAll(PlainNote.self)
            cache.invalidate(PlainNote.self, id: 1)
        }
        #expect(cache.core.loads.waiterCount(for: key) == 1)
        request.end()
        _ = try await load.value
        #expect(cache.get(PlainThing.self, id: 1)?.text == "answer")
    }

    @Test func invalidatedRequestIsMadeAgainAndTheEarlierResponseIsNotKept() async throws {
        let (earlier, later) = (LateRequest(), LateRequest())
        func start(_ text: String, after request: LateRequest) async -> Task<String, any Error> {
            let load = Task { [cache, call = request.call] in
                try await cache.load("request") {
                    try await call.wait()
                    return text
                }
            }
            #expect(await until { request.hasBegun })
            return load
        }
        let first = await start("first", after: earlier)
        cache.invalidate(request: "request")
        let second = await start("second", after: later)
        later.end()
        #expect(try await second.value == "second")
        earlier.end()
        #expect(try await first.value == "first")
        #expect(try await cache.load("request", policy: .cacheOnly) { "none" } == "second")
    }

    @Test func failureOfAnEarlierCallIsNotRememberedForALaterOne() async throws {
        let request = LateRequest()
        let load = Task { [cache, call = request.call] in
            try await cache.load(PlainThing.self, id: 1, rememberingFailures: .seconds(60)) {
                try await call.wait()
                return nil
            }
        }
        #expect(await until { request.hasBegun })
        cache.invalidate(PlainThing.self, id: 1)
        request.end()
        #expect(try await load.value == nil)
        let value = try await cache.load(PlainThing.self, id: 1) { PlainThing("second") }
        #expect(value?.text == "second")
    }

    @Test func errorOfAnEarlierCallIsNotRememberedForALaterOne() async throws {
        let request = LateRequest()
        let load = Task { [cache, call = request.call] in
            try await cache.load(PlainThing.self, id: 1, rememberingFailures: .seconds(60)) {
                try await call.wait()
                return nil
            }
        }
        #expect(await until { request.hasBegun })
        cache.removeAll(PlainThing.self)
        request.end(throwing: Failure())
        await #expect(throws: Failure.self) { try await load.value }
        let value = try await cache.load(PlainThing.self, id: 1) { PlainThing("second") }
        #expect(value?.text == "second")
    }

    @Test func errorOfAnAbandonedCallIsNotRemembered() async throws {
        let request = LateRequest()
        let load = Task { [cache, call = request.call] in
            try await cache.load(PlainThing.self, id: 1, rememberingFailures: .seconds(60)) {
                try await call.wait()
                return nil
            }
        }
        #expect(await until { request.hasBegun })
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        request.end(throwing: Failure())
        #expect(await until { request.isReleased })
        let value = try await cache.load(PlainThing.self, id: 1) { PlainThing("second") }
        #expect(value?.text == "second")
    }
}
