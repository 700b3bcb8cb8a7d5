import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the answers of several loads that bring the same entity, and loads that begin during a
/// batch.
@Suite(.exclusive, .timeLimit(.minutes(15)))
struct LateAnswerOrderTests {
    let cache = Cache()

    /// Starts a request that brings the entity 1, without a call for the entity itself.
    private func start<Entity: LateEntity>(
        _ name: String,
        bringing entity: Entity,
        after request: LateRequest
    ) async -> Task<Void, any Error> {
        let task = Task { [cache, call = request.call] in
            _ = try await cache.load(name) {
                try await call.wait()
                cache.ingest { Ingestion.current?.collect(entity) }
                return name
            }
        }
        #expect(await until { request.hasBegun })
        return task
    }

    private func check<Entity: LateEntity>(
        _ type: Entity.Type,
        laterEndsFirst: Bool,
        _ expected: [String?]
    ) async throws {
        let (earlier, later) = (LateRequest(), LateRequest())
        let first = await start(
            "earlier",
            bringing: Entity("earlier", detail: "earlier"),
            after: earlier
        )
        let second = await start("later", bringing: Entity("later"), after: later)
        if laterEndsFirst {
            later.end()
            try await second.value
            #expect(cache.get(type, id: 1)?.fields == ["later", nil])
            earlier.end()
            try await first.value
        } else {
            earlier.end()
            try await first.value
            #expect(cache.get(type, id: 1)?.fields == ["earlier", "earlier"])
            later.end()
            try await second.value
        }
        #expect(cache.get(type, id: 1)?.fields == expected)
        // Each response is kept: another one's answer is no conflict for the request itself.
        #expect(cache.freshness(ofRequest: "earlier").isFresh)
        #expect(cache.freshness(ofRequest: "later").isFresh)
        #expect(cache.hasForgottenLoads)
    }

    @Test(arguments: [false, true])
    func answerOfTheLaterLoadStandsAboveTheEarlierOne(laterEndsFirst: Bool) async throws {
        try await check(MergedThing.self, laterEndsFirst: laterEndsFirst, ["later", "earlier"])
    }

    @Test(arguments: [false, true])
    func answerOfTheLaterLoadReplacesTheEarlierOne(laterEndsFirst: Bool) async throws {
        try await check(PlainNote.self, laterEndsFirst: laterEndsFirst, ["later", nil])
    }

    @Test func earlierAnswerDoesNotHideAWriteFromALaterLoad() async throws {
        let (earlier, later) = (LateRequest(), LateRequest())
        let first = await start("1", bringing: PlainThing("earlier"), after: earlier)
        let second = await start("2", bringing: PlainThing("later"), after: later)
        cache.set(PlainThing("written"))
        earlier.end()
        try await first.value
        later.end()
        try await second.value
        #expect(cache.get(PlainThing.self, id: 1)?.text == "written")
    }

    @Test func writeBetweenTwoLoadsConcernsTheEarlierOneOnly() async throws {
        let (earlier, later) = (LateRequest(), LateRequest())
        let first = await start("1", bringing: PlainThing("earlier"), after: earlier)
        cache.set(PlainThing("written"))
        let second = await start("2", bringing: PlainThing("later"), after: later)
        earlier.end()
        try await first.value
        #expect(cache.get(PlainThing.self, id: 1)?.text == "written")
        later.end()
        try await second.value
        #expect(cache.get(PlainThing.self, id: 1)?.text == "later")
    }

    @Test func removalOfEverythingBetweenTwoLoadsConcernsTheEarlierOneOnly() async throws {
        let (earlier, later) = (LateRequest(), LateRequest())
        let first = await start("1", bringing: PlainThing("earlier"), after: earlier)
        cache.removeAll()
        let second = await start("2", bringing: PlainThing("later"), after: later)
        earlier.end()
        try await first.value
        #expect(cache.get(PlainThing.self, id: 1) == nil)
        later.end()
        try await second.value
        #expect(cache.get(PlainThing.self, id: 1)?.text == "later")
        #expect(cache.hasForgottenLoads)
    }

    @Test func endOfALoadDoesNotForgetTheWritesForOthers() async throws {
        let (earlier, later) = (LateRequest(), LateRequest())
        let first = await start("1", bringing: PlainThing("earlier"), after: earlier)
        let other = PlainThing(id: 9, text: nil, detail: nil)
        let second = await start("2", bringing: other, after: later)
        cache.set(PlainThing("written"))
        later.end()
        try await second.value
        #expect(cache.hasLeases)
        earlier.end()
        try await first.value
        #expect(cache.get(PlainThing.self, id: 1)?.text == "written")
        #expect(cache.hasForgottenLoads)
    }

    @Test func oldWritesAreForgottenOnceNoLoadNeedsThem() async throws {
        let (earlier, later) = (LateRequest(), LateRequest())
        let first = await start("1", bringing: PlainThing("earlier"), after: earlier)
        cache.set(PlainThing("written"))
        cache.set(contentsOf: (2..<3_000).map { PlainThing(id: $0, text: nil, detail: nil) })
        let second = await start("2", bringing: PlainThing("later"), after: later)
        let table = cache.core.tables.table(of: PlainThing.self)
        #expect(cache.core.withWriterLock("a test") { _ in table.writeLog.count } == 2_999)
        earlier.end()
        try await first.value
        #expect(cache.get(PlainThing.self, id: 1)?.text == "written")
        cache.set(contentsOf: (3_000..<9_000).map { PlainThing(id: $0, text: nil, detail: nil) })
        // The second load began after the first 2,999 writes.
        #expect(cache.core.withWriterLock("a test") { _ in table.writeLog.count } <= 6_000)
        later.end()
        try await second.value
        #expect(cache.get(PlainThing.self, id: 1)?.text == "later")
    }

    @Test func loadThatStartsDuringABatchBeginsAfterIt() async throws {
        let request = LateRequest()
        cache.set(PlainThing("old"))
        let load = try await onOwnThread { [cache] in
            cache.performBatchUpdates { batch in
                batch.set(PlainThing("before"))
                let load = LateAnswer.loaded.start(PlainThing("answer"), in: cache, after: request)
                #expect(
                    blockUntil {
                        cache.core.loads.waiterCount(for: CacheKey(PlainThing.self, id: 1)) == 1
                    }
                )
                batch.set(PlainThing("after"))
                #expect(!request.hasBegun)
                return load
            }
        }
        #expect(await until { request.hasBegun })
        #expect(cache.get(PlainThing.self, id: 1)?.text == "after")
        request.end()
        _ = try await load.value
        #expect(cache.get(PlainThing.self, id: 1)?.text == "answer")
    }

    @Test func batchThatIsOpenWhenTheAnswerArrivesIsNotUndone() async throws {
        let request = LateRequest()
        cache.set(PlainThing("old"))
        let load = LateAnswer.loaded.start(PlainThing("answer"), in: cache, after: request)
        #expect(await until { request.hasBegun })
        try await onOwnThread { [cache] in
            cache.performBatchUpdates { batch in
                request.end()
                batch.set(PlainThing("written"))
            }
        }
        #expect(try await load.value?.text == "answer")
        #expect(cache.get(PlainThing.self, id: 1)?.text == "written")
    }

    @Test func snapshotDoesNotSeeALateAnswer() async throws {
        let request = LateRequest()
        cache.set(MergedThing("old"))
        let load = LateAnswer.loaded.start(
            MergedThing("answer", detail: "answer"),
            in: cache,
            after: request
        )
        #expect(await until { request.hasBegun })
        cache.set(MergedThing("new"))
        try await onOwnThread { [cache] in
            cache.withSnapshot { snapshot in
                request.end()
                #expect(blockUntil { cache.get(MergedThing.self, id: 1)?.detail == "answer" })
                #expect(snapshot.get(MergedThing.self, id: 1)?.fields == ["new", nil])
                #expect(cache.get(MergedThing.self, id: 1)?.fields == ["new", "answer"])
            }
        }
        _ = try await load.value
    }

    @Test func currentAndOutdatedEntitiesOfAnAnswerAreStoredInOneCommit() async throws {
        let request = LateRequest()
        cache.set(MergedThing("old"))
        let load = Task { [cache, call = request.call] in
            try await cache.load(MergedThing.self, ids: [1, 2, 3], policy: .networkOnly) { ids in
                try await call.wait()
                return ids.map { MergedThing(id: $0, text: "answer", detail: "answer") }
            }
        }
        #expect(await until { request.hasBegun })
        cache.set(MergedThing("new"))
        cache.remove(MergedThing.self, id: 3)
        let commits = Recorder<[Int]>()
        let token = cache.observeAll(MergedThing.self) { commit in
            commits.append(commit.changes.map(\.id).sorted())
        }
        let version = cache.version
        request.end()
        let values = try await load.value
        #expect(values.mapValues(\.text) == [1: "new", 2: "answer", 3: "answer"])
        #expect(cache.version == version + 1)
        #expect(await until { !commits.all.isEmpty })
        #expect(commits.all == [[1, 2]])
        token.dispose()
    }
}
