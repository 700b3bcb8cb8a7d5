import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that writing, observing and pruning from a value's own code in the middle of a write
/// traps, with a message that names both operations.
struct CacheUserCodeTrapsTests {
    /// Runs a closure in the code of a value, in the middle of a write.
    static func runUserCode(
        at moment: CallbackEntity.Moment,
        with cache: Cache,
        _ action: @escaping @Sendable () -> Void
    ) {
        let observation = cache.cached(CallbackEntity.self, id: 1).observe { _ in }
        cache.set(CallbackEntity(id: 1))
        cache.set(CallbackEntity(id: 1, revision: 1, moment: moment, action: action))
        observation.dispose()
    }

    @Test func settingWhileMerging() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            Self.runUserCode(at: .merging, with: cache) { cache.set(Note(id: 1, text: "")) }
        }
        let message = try #require(result?.message)
        #expect(message.contains("set(_:) was called from merged(with:) of CallbackEntity"))
    }

    @Test func batchingWhileMerging() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            Self.runUserCode(at: .merging, with: cache) { cache.performBatchUpdates { _ in } }
        }
        let message = try #require(result?.message)
        #expect(message.contains("performBatchUpdates(_:) was called from merged(with:)"))
    }

    @Test func observingWhileMerging() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            Self.runUserCode(at: .merging, with: cache) {
                _ = cache.cached(Note.self, id: 1).observe { _ in }
            }
        }
        let message = try #require(result?.message)
        #expect(message.contains("observe(…) was called from merged(with:) of CallbackEntity"))
    }

    @Test func removingWhileRelating() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            Self.runUserCode(at: .relating, with: cache) { cache.remove(Note.self, id: 1) }
        }
        let message = try #require(result?.message)
        #expect(
            message.contains("remove(_:id:) was called from relatedCacheKeys of CallbackEntity")
        )
    }

    @Test func pruningWhileRelating() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            Self.runUserCode(at: .relating, with: cache) { cache.pruneUnobservedValues() }
        }
        let message = try #require(result?.message)
        #expect(message.contains("pruneUnobservedValues() was called from relatedCacheKeys"))
    }

    @Test func writingWhileRelatingAsAnObservationBegins() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.set(
                CallbackEntity(id: 1, moment: .relating) { cache.replace(Note(id: 1, text: "")) }
            )
            _ = cache.cached(CallbackEntity.self, id: 1).observe { _ in }
        }
        let message = try #require(result?.message)
        #expect(message.contains("replace(_:) was called from relatedCacheKeys of CallbackEntity"))
    }

    @Test func updatingThroughAHandleWhileComparing() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            let handle = cache.cached(Note.self, id: 1)
            Self.runUserCode(at: .comparing, with: cache) { handle.update { $0.text = "" } }
        }
        let message = try #require(result?.message)
        #expect(message.contains("update(_:id:_:) was called from == of CallbackEntity"))
    }

    @Test func settingThroughTheBatchWhileComparing() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            cache.set(CallbackEntity(id: 1))
            cache.performBatchUpdates { batch in
                nonisolated(unsafe) let batch = batch
                batch.set(
                    CallbackEntity(id: 1, revision: 1, moment: .comparing) {
                        batch.set(contentsOf: [Note(id: 1, text: "")])
                    }
                )
            }
        }
        let message = try #require(result?.message)
        #expect(message.contains("set(contentsOf:) was called from == of CallbackEntity"))
    }

    @Test func clearingWhileComparing() async throws {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let cache = Cache()
            Self.runUserCode(at: .comparing, with: cache) { cache.removeAll() }
        }
        let message = try #require(result?.message)
        #expect(message.contains("removeAll() was called from == of CallbackEntity"))
    }
}
