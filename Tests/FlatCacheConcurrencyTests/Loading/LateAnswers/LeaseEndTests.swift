import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the ends of loads: nothing is recorded for loads that have ended, and abandoned calls
/// store nothing.
@Suite(.exclusive, .timeLimit(.minutes(15)))
struct LeaseEndTests {
    private struct Failure: Error {}

    let cache = Cache()

    /// Starts a load, and writes so that there is something to forget.
    private func start(
        _ answer: LateAnswer,
        after request: LateRequest
    ) async -> Task<PlainThing?, any Error> {
        let load = answer.start(PlainThing("answer"), in: cache, after: request)
        #expect(await until { request.hasBegun })
        #expect(cache.hasLeases)
        cache.set(PlainThing(id: 7, text: "written", detail: nil))
        cache.invalidate(PlainNote.self)
        return load
    }

    @Test(arguments: LateAnswer.allCases)
    func leaseEndsWithTheAnswer(answer: LateAnswer) async throws {
        let request = LateRequest()
        let load = await start(answer, after: request)
        request.end()
        _ = try await load.value
        #expect(await until { cache.hasForgottenLoads })
        #expect(cache.get(PlainThing.self, id: 1)?.text == "answer")
        // Without a lease, writes aren't recorded.
        cache.remove(PlainThing.self, id: 7)
        cache.removeAll()
        #expect(cache.hasForgottenLoads)
    }

    @Test(arguments: LateAnswer.allCases)
    func leaseEndsWithAnError(answer: LateAnswer) async throws {
        let request = LateRequest()
        let load = await start(answer, after: request)
        cache.removeAll()
        request.end(throwing: Failure())
        await #expect(throws: Failure.self) { try await load.value }
        #expect(await until { cache.hasForgottenLoads })
        #expect(cache.get(PlainThing.self, id: 1) == nil)
    }

    @Test(arguments: LateAnswer.allCases, [false, true])
    func leaseEndsWhenTheLastCallerLeavesAnEndlessRequest(
        answer: LateAnswer,
        isWriting: Bool
    ) async throws {
        let request = LateRequest()
        let load = await start(answer, after: request)
        if isWriting {
            try await onOwnThread { [cache] in
                cache.performBatchUpdates { batch in
                    load.cancel()
                    #expect(blockUntil { request.isCancelled })
                    batch.set(PlainThing("written"))
                }
            }
        } else {
            load.cancel()
        }
        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(await until { cache.hasForgottenLoads })
        let written = cache.get(PlainThing.self, id: 1)
        // The request ignores the cancellation, and answers when nothing waits for it any more.
        cache.setLoader(for: PlainThing.self) { _ in [] }
        request.end()
        #expect(await until { request.isReleased })
        #expect(cache.get(PlainThing.self, id: 1) == written)
        #expect(cache.freshness(ofRequest: "request") == .missing)
        #expect(cache.get(Station.self, id: 1) == nil)
        #expect(await until { cache.hasForgottenLoads })
    }

    @Test func loadAfterAnAbandonedOneStoresItsOwnAnswer() async throws {
        let (earlier, later) = (LateRequest(), LateRequest())
        let abandoned = await start(.loaded, after: earlier)
        abandoned.cancel()
        #expect(await until { earlier.isCancelled })
        let load = LateAnswer.loaded.start(PlainThing("later"), in: cache, after: later)
        #expect(await until { later.hasBegun })
        earlier.end()
        #expect(await until { earlier.isReleased })
        #expect(cache.get(PlainThing.self, id: 1) == nil)
        later.end()
        #expect(try await load.value?.text == "later")
        #expect(cache.get(PlainThing.self, id: 1)?.text == "later")
        #expect(cache.hasForgottenLoads)
    }

    @Test func closureThatCancelsItsOwnTaskStoresItsAnswer() async throws {
        let value = try await cache.load(PlainThing.self, id: 1) {
            withUnsafeCurrentTask { $0?.cancel() }
            return PlainThing("answer")
        }
        #expect(value?.text == "answer")
        #expect(cache.get(PlainThing.self, id: 1)?.text == "answer")
        #expect(cache.hasForgottenLoads)
    }

    @Test func backgroundLoadEndsItsLease() async throws {
        cache.set(PlainThing("old"))
        cache.invalidate(PlainThing.self, id: 1)
        let request = LateRequest()
        let value = try await cache.load(
            PlainThing.self,
            id: 1,
            policy: .staleWhileRevalidate
        ) { [call = request.call] in
            try await call.wait()
            return PlainThing("answer")
        }
        #expect(value?.text == "old")
        #expect(await until { request.hasBegun })
        cache.set(PlainThing("written"))
        request.end()
        #expect(await until { cache.hasForgottenLoads })
        #expect(cache.get(PlainThing.self, id: 1)?.text == "written")
    }

    @Test func manyOverlappingLoadsForgetEverything() async throws {
        await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { [cache] in
                    let id = number % 5
                    if number % 3 == 0 { cache.remove(PlainThing.self, id: id) }
                    if number % 7 == 0 { cache.removeAll() }
                    _ = try await cache.load(PlainThing.self, id: id, policy: .networkOnly) {
                        await Task.yield()
                        cache.invalidate(PlainThing.self, id: id)
                        if number % 11 == 0 { throw Failure() }
                        return PlainThing(id: id, text: "\(number)", detail: nil)
                    }
                }
            }
            while let result = await group.nextResult() {
                if case .failure(let error) = result { #expect(error is Failure) }
            }
        }
        #expect(await until { cache.hasForgottenLoads })
        cache.core.checkInvariants()
        cache.core.loads.checkInvariants()
    }
}
