import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests late answers with modification stamps after all entities of their type were removed.
@Suite(.timeLimit(.minutes(15)))
struct LateEmptyingTests {
    /// The removals of all entities of a type.
    enum Emptying: CaseIterable, Sendable {
        case type, everything, typeInBatch, everythingInBatch

        func perform<Entity: LateEntity>(_ type: Entity.Type, in cache: Cache) {
            switch self {
            case .type: cache.removeAll(type)
            case .everything: cache.removeAll()
            case .typeInBatch: cache.performBatchUpdates { $0.removeAll(type) }
            case .everythingInBatch: cache.performBatchUpdates { $0.removeAll() }
            }
        }
    }

    let cache = Cache()

    /// Loads an entity with a stamp, and calls a closure while the request runs.
    ///
    /// - Parameter applies: Whether the ingest of the answer is a commit of its own.
    private func load<Entity: LateEntity>(
        _ answer: Entity,
        modifiedAt stamp: Int,
        applies: Bool = false,
        during write: () -> Void
    ) async throws {
        let request = LateRequest()
        let load = Task { [cache, call = request.call] in
            try await cache.load("request", policy: .networkOnly) {
                try await call.wait()
                if applies {
                    cache.ingest(modifiedAt: stamp) {
                        answer
                    } apply: { _, _ in
                    }
                } else {
                    cache.ingest(modifiedAt: stamp) { answer }
                }
                return true
            }
        }
        #expect(await until { request.hasBegun })
        write()
        request.end()
        #expect(try await load.value)
    }

    @Test(arguments: Emptying.allCases, [false, true])
    func greaterStampDoesNotUndoTheRemovalOfAllEntities(
        emptying: Emptying,
        applies: Bool
    ) async throws {
        cache.set(PlainThing("old"), modifiedAt: 5)
        try await load(PlainThing("answer"), modifiedAt: 9, applies: applies) {
            emptying.perform(PlainThing.self, in: cache)
        }
        #expect(cache.get(PlainThing.self, id: 1) == nil)
        // The next answer is stored.
        try await load(PlainThing("next"), modifiedAt: 9, applies: applies) {}
        #expect(cache.get(PlainThing.self, id: 1)?.text == "next")
    }

    @Test(arguments: Emptying.allCases)
    func greaterStampDoesNotReplaceAValueThatWasStoredAfterTheRemovalOfAllEntities(
        emptying: Emptying
    ) async throws {
        cache.set(PlainThing("old"), modifiedAt: 5)
        cache.set(MergedThing("old"), modifiedAt: 5)
        try await load(PlainThing("answer"), modifiedAt: 9) {
            emptying.perform(PlainThing.self, in: cache)
            cache.set(PlainThing("new"), modifiedAt: 6)
        }
        #expect(cache.get(PlainThing.self, id: 1)?.text == "new")
        try await load(MergedThing("answer", detail: "answer"), modifiedAt: 9) {
            emptying.perform(MergedThing.self, in: cache)
            cache.set(MergedThing("new"), modifiedAt: 6)
        }
        #expect(cache.get(MergedThing.self, id: 1)?.fields == ["new", nil])
    }

    @Test func removalOfAnotherTypeDoesNotOutdateTheAnswer() async throws {
        cache.set(PlainThing("old"), modifiedAt: 5)
        try await load(PlainThing("answer"), modifiedAt: 9) {
            cache.removeAll(PlainNote.self)
            cache.remove(PlainThing.self, id: 1)
        }
        #expect(cache.get(PlainThing.self, id: 1)?.text == "answer")
    }

    @Test func removalOfAllEntitiesThatIsRolledBackDoesNotOutdateTheAnswer() async throws {
        struct Failure: Error {}
        cache.set(PlainThing("old"), modifiedAt: 5)
        try await load(PlainThing("answer"), modifiedAt: 9) {
            try? cache.performBatchUpdates { batch in
                batch.removeAll()
                batch.removeAll(PlainThing.self)
                throw Failure()
            }
        }
        #expect(cache.get(PlainThing.self, id: 1)?.text == "answer")
    }
}
