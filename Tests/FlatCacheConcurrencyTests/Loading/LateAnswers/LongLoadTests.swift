import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests a load that runs while so many entities are written that the cache doesn't keep a record
/// of each.
@Suite(.timeLimit(.minutes(15)))
struct LongLoadTests {
    let cache = Cache()

    /// Starts a load of the entity 3 whose closure ingests the entities 1 and 2.
    private func start(after request: LateRequest) async -> Task<MergedThing?, any Error> {
        let load = Task { [cache, call = request.call] in
            try await cache.load(MergedThing.self, id: 3) {
                try await call.wait()
                cache.ingest {
                    let scope = Ingestion.current
                    scope?.collect(MergedThing(id: 1, text: "answer", detail: "answer"))
                    scope?.collect(MergedThing(id: 2, text: "answer", detail: nil))
                }
                return MergedThing(id: 3, text: "answer", detail: nil)
            }
        }
        #expect(await until { request.hasBegun })
        return load
    }

    @Test func answerUndoesNothingAfterTooManyWrites() async throws {
        cache.set(MergedThing(id: 1, text: "old", detail: "old"))
        cache.set(MergedThing(id: 2, text: "old", detail: nil))
        let request = LateRequest()
        let load = await start(after: request)
        cache.remove(MergedThing.self, id: 1)
        cache.set(MergedThing(id: 1, text: "written", detail: nil))
        cache.remove(MergedThing.self, id: 2)
        let others = (10..<240_000).map { MergedThing(id: $0, text: nil, detail: nil) }
        cache.set(contentsOf: others)
        let table = cache.core.tables.table(of: MergedThing.self)
        #expect(cache.core.withWriterLock("a test") { _ in table.writeLog.count } < 100_000)

        request.end()
        #expect(try await load.value?.text == "answer")
        #expect(cache.get(MergedThing.self, id: 1)?.fields == ["written", nil])
        #expect(cache.get(MergedThing.self, id: 2) == nil)
        // The cache doesn't know whether this entity was written, so the next load requests it.
        #expect(cache.get(MergedThing.self, id: 3) == nil)
        #expect(cache.hasForgottenLoads)
        let again = LateRequest()
        let next = await start(after: again)
        again.end()
        #expect(try await next.value?.text == "answer")
        #expect(cache.get(MergedThing.self, id: 3)?.text == "answer")
    }
}
