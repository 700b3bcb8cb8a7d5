import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests an ingest inside the closure of a load, which stores its entities under the lease of the
/// load: in a commit of its own, in the commit of a batch, or in the commit of the answer.
@Suite(.timeLimit(.minutes(15)))
struct LateIngestTests {
    enum Kind: CaseIterable, Sendable {
        /// The ingests that store their entities together with other writes.
        case decoding, explicit, asynchronous, asynchronousExplicit, nested
        /// The ingests whose entities are stored with the answer, or by a batch.
        case plain, plainExplicit, batch, batchDecoding

        func ingest<Entity: LateEntity>(_ answer: Entity, in cache: Cache) async throws {
            switch self {
            case .decoding:
                cache.ingest {
                    answer
                } apply: { _, _ in
                }
            case .explicit:
                cache.ingest {
                    Ingestion.current?.collect(answer)
                } apply: { _, _ in
                }
            case .asynchronous:
                _ = await cache.ingest {
                    await Task.yield()
                    return answer
                } apply: { _, _ in
                }
            case .asynchronousExplicit:
                await cache.ingest {
                    await Task.yield()
                    Ingestion.current?.collect(answer)
                } apply: { _, _ in
                }
            case .nested:
                cache.ingest {
                    cache.ingest {
                        Ingestion.current?.collect(answer)
                    } apply: { _, _ in
                    }
                }
            case .plain: cache.ingest { answer }
            case .plainExplicit: cache.ingest { Ingestion.current?.collect(answer) }
            case .batch: cache.performBatchUpdates { _ in _ = cache.ingest { answer } }
            case .batchDecoding:
                cache.performBatchUpdates { _ in
                    cache.ingest {
                        answer
                    } apply: { _, _ in
                    }
                }
            }
        }
    }

    static let removals: [@Sendable (Cache) -> Void] = [
        { $0.remove(PlainThing.self, id: 1) }, { $0.removeAll(PlainThing.self) },
        { $0.removeAll() }, { cache in cache.performBatchUpdates { _ = $0.removeAll() } },
    ]

    let cache = Cache()

    /// Ingests an entity in the closure of a request, and calls another closure before that.
    private func ingest<Entity: LateEntity>(
        _ answer: Entity,
        _ kind: Kind,
        after write: () -> Void
    ) async throws {
        let request = LateRequest()
        let load = Task { [cache, call = request.call] in
            try await cache.load("request", policy: .networkOnly) {
                try await call.wait()
                try await kind.ingest(answer, in: cache)
            }
        }
        #expect(await until { request.hasBegun })
        write()
        request.end()
        try await load.value
        #expect(await until { cache.hasForgottenLoads })
    }

    @Test(arguments: Kind.allCases)
    func ingestStoresItsEntities(_ kind: Kind) async throws {
        try await ingest(PlainThing("answer"), kind) {}
        #expect(cache.get(PlainThing.self, id: 1)?.text == "answer")
    }

    @Test(arguments: Kind.allCases, removals.indices)
    func entityThatWasRemovedStaysRemoved(_ kind: Kind, removal: Int) async throws {
        cache.set(PlainThing("old"))
        try await ingest(PlainThing("answer"), kind) { Self.removals[removal](cache) }
        #expect(cache.get(PlainThing.self, id: 1) == nil)
    }

    @Test(arguments: Kind.allCases)
    func writtenValueStays(_ kind: Kind) async throws {
        try await ingest(PlainThing("answer"), kind) { cache.set(PlainThing("written")) }
        #expect(cache.get(PlainThing.self, id: 1)?.text == "written")
        try await ingest(MergedThing("answer", detail: "answer"), kind) {
            cache.set(MergedThing("written"))
        }
        #expect(cache.get(MergedThing.self, id: 1)?.fields == ["written", "answer"])
    }

    @Test(arguments: Kind.allCases)
    func invalidatedValueStaysStale(_ kind: Kind) async throws {
        cache.set(PlainThing("old"))
        try await ingest(PlainThing("answer"), kind) { cache.invalidate(PlainThing.self, id: 1) }
        #expect(cache.get(PlainThing.self, id: 1)?.text == "old")
        #expect(cache.freshness(of: PlainThing.self, id: 1).isStale)
    }

    @Test(arguments: Kind.allCases)
    func ingestInACallThatAllHaveLeftStoresNothing(_ kind: Kind) async throws {
        let request = LateRequest()
        let load = Task { [cache, call = request.call] in
            try await cache.load("request") {
                // The request ignores the cancellation.
                try await call.wait()
                try await kind.ingest(PlainThing("answer"), in: cache)
            }
        }
        #expect(await until { request.hasBegun })
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(await until { cache.hasForgottenLoads })
        cache.removeAll()
        request.end()
        #expect(await until { request.isReleased })
        #expect(cache.get(PlainThing.self, id: 1) == nil)
    }

    @Test("The answer of a load replaces an entity that its closure has ingested")
    func answerAfterAnIngest() async throws {
        let answer = try await cache.load(PlainThing.self, id: 1) { [cache] in
            cache.ingest {
                PlainThing("ingested")
            } apply: { _, _ in
            }
            return PlainThing("answer")
        }
        // Both are as old as the request, and the answer comes later.
        #expect(answer?.text == "answer")
        #expect(cache.get(PlainThing.self, id: 1)?.text == "answer")
    }

    @Test("A batch in the closure that ingests and writes isn't undone by the answer")
    func batchAroundAnIngest() async throws {
        _ = try await cache.load(PlainThing.self, id: 1) { [cache] in
            cache.performBatchUpdates { batch in
                batch.set(PlainThing("batch"))
                cache.ingest {
                    PlainNote("ingested")
                } apply: { _, _ in
                }
            }
            return PlainThing("answer")
        }
        #expect(cache.get(PlainThing.self, id: 1)?.text == "batch")
        #expect(cache.get(PlainNote.self, id: 1)?.text == "ingested")
    }
}
