import FlatCacheTesting
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of layers and of freshness, limits and loads.
struct LayerLifetimeTests {
    private let clock = SleeplessClock()

    private func cache(_ limit: CacheLimit<Note> = .unlimited) -> Cache {
        var configuration = CacheConfiguration(clock: clock)
        configuration.limit(Note.self, limit, staleAfter: .seconds(10))
        return Cache(configuration: configuration)
    }

    private func instant(_ seconds: Int) -> CacheInstant { CacheInstant(offset: .seconds(seconds)) }

    @Test func editsRenewNoTime() throws {
        let cache = cache()
        cache.set(Note(id: 1, text: "a"))
        clock.advance(by: .seconds(4))
        let layer = cache.beginLayer("1") { $0.update(Note.self, id: 1) { $0.text = "b" } }
        #expect(cache.freshness(of: Note.self, id: 1) == .fresh(since: instant(0)))
        clock.advance(by: .seconds(8))
        #expect(cache.freshness(of: Note.self, id: 1) == .stale(since: instant(10)))
        try layer.change { $0.update(Note.self, id: 1) { $0.text = "c" } }
        #expect(cache.freshness(of: Note.self, id: 1) == .stale(since: instant(10)))
        layer.rollBack()
        #expect(cache.freshness(of: Note.self, id: 1) == .stale(since: instant(10)))
        cache.set(Note(id: 1, text: "d"))
        #expect(cache.freshness(of: Note.self, id: 1) == .fresh(since: instant(12)))
    }

    @Test func writeBeneathHiddenEntityRenewsItsTime() {
        let cache = cache()
        cache.set(Note(id: 1, text: "a"))
        let layer = cache.beginLayer("1") { $0.remove(Note.self, id: 1) }
        clock.advance(by: .seconds(4))
        cache.performBatchUpdates { batch in
            batch.set(Note(id: 1, text: "b"))
            // The batch reads the visible value.
            #expect(batch[Note.self, 1] == nil)
        }
        layer.rollBack()
        #expect(cache.freshness(of: Note.self, id: 1) == .fresh(since: instant(4)))
    }

    @Test(arguments: [0, 1, 2])
    func invalidatedValueRemainsStaleUnderEdits(kind: Int) {
        let cache = cache()
        cache.set(Note(id: 1, text: "a"))
        clock.advance(by: .seconds(1))
        let early = kind == 0 ? nil : cache.beginLayer("0") { $0.remove(Note.self, id: 1) }
        if kind == 2 {
            cache.invalidate(Note.self)
        } else {
            cache.invalidate(Note.self, id: 1)
        }
        early?.rollBack()
        let layer = cache.beginLayer("1") { $0.update(Note.self, id: 1) { $0.text = "b" } }
        #expect(cache.freshness(of: Note.self, id: 1) == .stale(since: instant(1)))
        layer.rollBack()
        #expect(cache.freshness(of: Note.self, id: 1) == .stale(since: instant(1)))
    }

    @Test func entityThatOnlyLayersHaveIsFreshAndNeverLoaded() async throws {
        let cache = cache()
        let calls = Recorder<Int>()
        cache.setLoader(for: Note.self) { ids in
            for id in ids { calls.append(id) }
            return ids.map { Note(id: $0, text: "loaded") }
        }
        let layer = cache.beginLayer("1") { $0.set(Note(id: 1, text: "draft")) }
        let observation = cache.cached(Note.self, id: 1).loading().observe { _ in }
        #expect(cache.freshness(of: Note.self, id: 1).isFresh)
        #expect(cache.confirmed.freshness(of: Note.self, id: 1) == .missing)
        clock.advance(by: .seconds(100))
        cache.invalidate(Note.self)
        cache.invalidate(Note.self, id: 1)
        #expect(cache.freshness(of: Note.self, id: 1).isFresh)
        let note = try await cache.load(Note.self, id: 1)
        #expect(note?.text == "draft")
        #expect(calls.all.isEmpty)
        observation.dispose()
        layer.rollBack()
    }

    @Test func pendingEntitiesAreNotEvicted() {
        let cache = cache(.count(2))
        cache.set(Note(id: 1, text: "a"))
        let layer = cache.beginLayer("1") { layer in
            layer.update(Note.self, id: 1) { $0.text = "b" }
            layer.set(Note(id: 2, text: "new"))
            layer.list("all", of: Note.self).append(3)
        }
        cache.set(Note(id: 3, text: "in a list"))
        for id in 10..<40 { cache.set(Note(id: id, text: "")) }
        cache.trim(to: .fraction(0))
        #expect(cache[Note.self, 1]?.text == "b")
        #expect(cache[Note.self, 2]?.text == "new")
        #expect(cache[Note.self, 3] != nil)
        cache.pruneUnobservedValues()
        #expect(cache[Note.self, 1]?.text == "b")
        layer.rollBack()
        #expect(cache[Note.self, 1]?.text == "a")
        #expect(cache[Note.self, 2] == nil)
        cache.trim(to: .fraction(0))
        #expect(cache.count(of: Note.self) == 0)
        cache.core.checkInvariants()
    }

    @Test func elementsOfConfirmedAndVisibleListsArePinned() {
        let cache = cache(.count(1))
        cache.set(contentsOf: (1...3).map { Note(id: $0, text: "") })
        cache.list("all", of: Note.self).replace(withIDs: [1, 2])
        cache.set(Note(id: 2, text: ""))
        cache.set(Note(id: 1, text: ""))
        let layer = cache.beginLayer("1") { layer in
            layer.list("all", of: Note.self).remove(1)
            layer.list("all", of: Note.self).append(3)
        }
        cache.set(Note(id: 3, text: ""))
        for id in 10..<40 { cache.set(Note(id: id, text: "")) }
        #expect((1...3).map { cache.contains(Note.self, id: $0) } == [true, true, true])
        layer.rollBack()
        for id in 10..<40 { cache.set(Note(id: id, text: "")) }
        #expect((1...3).map { cache.contains(Note.self, id: $0) } == [true, true, false])
    }

    @Test func editsOutdateNoRunningLoad() async throws {
        let cache = cache()
        let (load, answer) = await heldLoad(of: Note(id: 1, text: "from the server"), in: cache)
        let layer = cache.beginLayer("1") { $0.set(Note(id: 1, text: "draft")) }
        answer.yield()
        _ = try await load.value
        #expect(cache[Note.self, 1]?.text == "draft")
        #expect(cache.confirmed[Note.self, 1]?.text == "from the server")
        layer.rollBack()
        #expect(cache[Note.self, 1]?.text == "from the server")
    }

    @Test func runningLoadDoesNotUndoConfirmedRemoval() async throws {
        let cache = cache()
        cache.set(Note(id: 1, text: "a"))
        let (load, answer) = await heldLoad(of: Note(id: 1, text: "before the removal"), in: cache)
        try cache.beginLayer("1") { $0.remove(Note.self, id: 1) }.confirm()
        answer.yield()
        _ = try await load.value
        #expect(cache[Note.self, 1] == nil)
    }

    @Test func writeWithoutChangeRenewsNoTimeAndOutdatesNoLoad() async throws {
        let cache = cache()
        let layer = cache.beginLayer("1") { $0.set(Note(id: 1, text: "draft")) }
        let (load, answer) = await heldLoad(of: Note(id: 1, text: "from the server"), in: cache)
        // Only the layer has the entity.
        #expect(cache.update(Note.self, id: 1) { $0.text = "b" } == nil)
        answer.yield()
        _ = try await load.value
        layer.rollBack()
        #expect(cache[Note.self, 1]?.text == "from the server")
    }

    // The guide advises against sending a change in a load, but the change isn't lost.
    @Test func anEditThatIsConfirmedInAnAbandonedLoadIsStored() async throws {
        let cache = cache()
        cache.set(Note(id: 1, text: "a"))
        let (starts, started) = AsyncStream<Void>.makeStream()
        let (ends, ended) = AsyncStream<Void>.makeStream()
        let (stream, answer) = AsyncStream<Void>.makeStream()
        let load = Task {
            try await cache.load(Note.self, id: 5, policy: .networkOnly) {
                started.yield()
                // Another task doesn't end with the cancellation.
                await Task.detached { for await _ in stream { break } }.value
                try await cache.optimistically("Edit") { layer in
                    layer.update(Note.self, id: 1) { $0.text = "b" }
                } confirm: {
                }
                ended.yield()
                return Note(id: 5, text: "loaded")
            }
        }
        for await _ in starts { break }
        load.cancel()
        _ = try? await load.value
        answer.yield()
        for await _ in ends { break }
        #expect(cache.confirmed[Note.self, 1]?.text == "b")
        #expect(cache.pendingLayers.elements.isEmpty)
    }

    @Test func aRunningLoadDoesNotUndoASettledEdit() async throws {
        let cache = cache()
        cache.set(Note(id: 1, text: "a"))
        let older = cache.beginLayer("1") { $0.update(Note.self, id: 1) { $0.text += "!" } }
        try cache.beginLayer("2") { $0.update(Note.self, id: 1) { $0.text = "b" } }.confirm()
        let (load, answer) = await heldLoad(of: Note(id: 1, text: "a"), in: cache)
        older.rollBack()
        answer.yield()
        _ = try await load.value
        #expect(cache[Note.self, 1]?.text == "b")
    }

    /// Returns a load whose answer waits.
    private func heldLoad(
        of note: Note,
        in cache: Cache
    ) async -> (Task<Note?, any Error>, AsyncStream<Void>.Continuation) {
        let (starts, started) = AsyncStream<Void>.makeStream()
        let (stream, answer) = AsyncStream<Void>.makeStream()
        let load = Task {
            try await cache.load(Note.self, id: 1, policy: .networkOnly) {
                started.yield()
                for await _ in stream { break }
                return note
            }
        }
        for await _ in starts { break }
        return (load, answer)
    }

    @Test func layerCanNotBeEditedWhileItIsConfirmed() async throws {
        let cache = cache()
        cache.set(Note(id: 1, text: "a"))
        let layer = cache.beginLayer("1") { $0.update(Note.self, id: 1) { $0.text = "b" } }
        let error = LayerError.confirming(label: "1")
        let edit = { (layer: CacheLayer) in layer.update(Note.self, id: 1) { $0.text = "c" } }
        try await layer.confirm {
            #expect(throws: error) { try layer.change(edit) }
            #expect(throws: error) { try layer.replace(edit) }
            #expect(throws: error) { try layer.confirm() }
            await #expect(throws: error) { try await layer.confirm {} }
            // A further layer shows the next edit.
            let next = cache.beginLayer("2", edit)
            #expect(cache[Note.self, 1]?.text == "c")
            next.rollBack()
        }
        #expect(cache[Note.self, 1]?.text == "b")
        #expect(throws: LayerError.ended(label: "1")) { try layer.change(edit) }
    }

    @Test func layerCanBeEditedAfterAFailedConfirmation() async throws {
        let cache = cache()
        cache.set(Note(id: 1, text: "a"))
        let layer = cache.beginLayer("1") { $0.update(Note.self, id: 1) { $0.text = "b" } }
        await #expect(throws: CancellationError.self) {
            try await layer.confirm { throw CancellationError() }
        }
        try layer.replace { $0.update(Note.self, id: 1) { $0.text = "c" } }
        try layer.confirm()
        #expect(cache.confirmed[Note.self, 1]?.text == "c")
    }
}
