import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests late answers whose entities have modification stamps or versions.
@Suite(.timeLimit(.minutes(15)))
struct LateStampTests {
    struct Article: Identifiable, Versioned, Equatable, Sendable {
        let id: Int
        var text: String
        var revision: Int

        static var versionKeyPath: KeyPath<Article, Int> { \.revision }
    }

    struct Draft: Identifiable, Versioned, Mergeable, Equatable, Sendable {
        let id: Int
        var text: String?
        var detail: String?
        var revision: Int

        static var versionKeyPath: KeyPath<Draft, Int> { \.revision }

        func merged(with other: Draft) -> Draft {
            Draft(
                id: id,
                text: other.text ?? text,
                detail: other.detail ?? detail,
                revision: other.revision
            )
        }
    }

    let cache = Cache()

    /// Loads the entity 1 with a stamp, and calls a closure while the request runs.
    private func load<Entity: LateEntity>(
        _ answer: Entity,
        modifiedAt stamp: Int,
        during write: () -> Void
    ) async throws -> Entity? {
        let request = LateRequest()
        let load = Task { [cache, call = request.call] in
            try await cache.load(Entity.self, id: 1, policy: .networkOnly) {
                try await call.wait()
                return cache.ingest(modifiedAt: stamp) {
                    Ingestion.current?.collect(answer)
                    return answer
                }
            }
        }
        #expect(await until { request.hasBegun })
        write()
        request.end()
        return try await load.value
    }

    @Test(arguments: [(4, "new"), (5, "new"), (6, "answer")])
    func greaterStampDecides(stamp: Int, text: String) async throws {
        let returned = try await load(PlainThing("answer"), modifiedAt: stamp) {
            cache.set(PlainThing("new"), modifiedAt: 5)
        }
        #expect(returned?.text == "answer")
        #expect(cache.get(PlainThing.self, id: 1)?.text == text)
    }

    @Test(arguments: [(4, "new"), (5, "new"), (6, "answer")])
    func greaterStampDecidesWhichValueIsMergedBeneath(
        stamp: Int,
        text: String
    ) async throws {
        let answer = MergedThing("answer", detail: "answer")
        let returned = try await load(answer, modifiedAt: stamp) {
            cache.set(MergedThing("new"), modifiedAt: 5)
        }
        #expect(returned?.fields == [text, "answer"])
        #expect(cache.get(MergedThing.self, id: 1)?.fields == [text, "answer"])
    }

    @Test(arguments: [(4, nil), (5, nil), (6, "answer")])
    func stampOfARemovedEntityIsRemembered(stamp: Int, text: String?) async throws {
        cache.set(PlainThing("old"), modifiedAt: 5)
        let returned = try await load(PlainThing("answer"), modifiedAt: stamp) {
            cache.remove(PlainThing.self, id: 1)
        }
        #expect(returned?.text == "answer")
        #expect(cache.get(PlainThing.self, id: 1)?.text == text)
    }

    @Test func removedEntityWithoutAStampStaysRemoved() async throws {
        cache.set(PlainThing("old"))
        _ = try await load(PlainThing("answer"), modifiedAt: 9) {
            cache.remove(PlainThing.self, id: 1)
        }
        #expect(cache.get(PlainThing.self, id: 1) == nil)
    }

    @Test(arguments: [(4, nil), (5, nil), (6, "answer")])
    func stampOfAnEntityIsRememberedAfterItsTypeWasEmptied(
        stamp: Int,
        text: String?
    ) async throws {
        cache.set(PlainThing("old"), modifiedAt: 5)
        cache.removeAll(PlainThing.self)
        _ = try await load(PlainThing("answer"), modifiedAt: stamp) {
            cache.remove(PlainThing.self, id: 1)
        }
        #expect(cache.get(PlainThing.self, id: 1)?.text == text)
    }

    @Test(arguments: [false, true])
    func greaterStampDoesNotUndoTheRemovalOfAll(isOfType: Bool) async throws {
        cache.set(PlainThing("old"), modifiedAt: 5)
        let returned = try await load(PlainThing("answer"), modifiedAt: 6) {
            if isOfType { cache.removeAll(PlainThing.self) } else { cache.removeAll() }
        }
        #expect(returned?.text == "answer")
        #expect(cache.get(PlainThing.self, id: 1) == nil)
    }

    @Test func stampDoesNotRenewAnInvalidatedValue() async throws {
        cache.set(PlainThing("old"), modifiedAt: 5)
        _ = try await load(PlainThing("answer"), modifiedAt: 6) {
            cache.invalidate(PlainThing.self, id: 1)
        }
        #expect(cache.get(PlainThing.self, id: 1)?.text == "answer")
        #expect(cache.freshness(of: PlainThing.self, id: 1).isStale)
    }

    @Test func stampDecidesWithoutAConflictToo() async throws {
        cache.set(PlainThing("old"), modifiedAt: 5)
        _ = try await load(PlainThing("answer"), modifiedAt: 4) {}
        #expect(cache.get(PlainThing.self, id: 1)?.text == "old")
    }

    // MARK: Versions

    private func load<Entity: Identifiable & Sendable>(
        _ answer: Entity,
        during write: () -> Void
    ) async throws -> Entity? where Entity.ID == Int {
        let request = LateRequest()
        let load = Task { [cache, call = request.call] in
            try await cache.load(Entity.self, id: 1, policy: .networkOnly) {
                try await call.wait()
                return answer
            }
        }
        #expect(await until { request.hasBegun })
        write()
        request.end()
        return try await load.value
    }

    @Test(arguments: [(4, "new"), (5, "new"), (6, "answer")])
    func greaterVersionDecides(revision: Int, text: String) async throws {
        let answer = Article(id: 1, text: "answer", revision: revision)
        let returned = try await load(answer) {
            cache.set(Article(id: 1, text: "new", revision: 5))
        }
        #expect(returned?.text == text)
        #expect(cache.get(Article.self, id: 1)?.text == text)
    }

    @Test(arguments: [(4, "new"), (5, "new"), (6, "answer")])
    func greaterVersionDecidesWhichValueIsMergedBeneath(
        revision: Int,
        text: String
    ) async throws {
        let answer = Draft(id: 1, text: "answer", detail: "answer", revision: revision)
        let returned = try await load(answer) {
            cache.set(Draft(id: 1, text: "new", revision: 5))
        }
        #expect(returned?.text == text)
        #expect(returned?.detail == "answer")
        #expect(cache.get(Draft.self, id: 1) == returned)
        #expect(returned?.revision == max(revision, 5))
    }

    @Test func versionDoesNotRenewAnInvalidatedValue() async throws {
        cache.set(Article(id: 1, text: "old", revision: 3))
        _ = try await load(Article(id: 1, text: "answer", revision: 4)) {
            cache.invalidate(Article.self, id: 1)
        }
        #expect(cache.get(Article.self, id: 1)?.text == "answer")
        #expect(cache.freshness(of: Article.self, id: 1).isStale)
    }

    @Test func versionRenewsAValueThatWasStoredAfterAnInvalidation() async throws {
        cache.set(Article(id: 1, text: "old", revision: 3))
        _ = try await load(Article(id: 1, text: "answer", revision: 5)) {
            cache.performBatchUpdates { batch in
                batch.invalidate(Article.self, id: 1)
                batch.set(Article(id: 1, text: "new", revision: 4))
            }
        }
        #expect(cache.get(Article.self, id: 1)?.text == "answer")
        #expect(cache.freshness(of: Article.self, id: 1).isFresh)
    }
}
