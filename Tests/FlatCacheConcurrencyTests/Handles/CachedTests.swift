import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct CachedTests {
    let cache = Cache()

    @Test func resolvesTheLatestValue() {
        let inferred: Cached<Note> = cache.cached(1)
        let ofValue = cache.cached(Note(id: 1, text: "not stored"))
        let ofType = cache.cached(Note.self, id: 1)
        for text in ["A", "B"] {
            #expect(cache[Note.self, 1]?.text != text)
            cache.set(Note(id: 1, text: text))
            for handle in [inferred, ofValue, ofType] { #expect(handle.value?.text == text) }
        }
    }

    @Test func resolvesValuesThatAreRemovedAndStoredAgain() {
        let handle = cache.cached(Note.self, id: 1)
        #expect(handle.value == nil)
        for round in 0..<5 {
            cache.set(Note(id: 1, text: "\(round)"))
            #expect(handle.value?.text == "\(round)")
            if round % 2 == 0 { cache.remove(Note.self, id: 1) } else { cache.removeAll() }
            #expect(handle.value == nil)
            cache.set(contentsOf: (10..<200).map { Note(id: $0, text: "") })
        }
    }

    @Test func resolvesValuesStoredAfterARollback() {
        struct Refusal: Error {}
        let handle = cache.cached(Note.self, id: 1)
        try? cache.performBatchUpdates { batch in
            batch.set(Note(id: 1, text: "A"))
            #expect(handle.value == nil)
            throw Refusal()
        }
        #expect(handle.value == nil)
        cache.set(Note(id: 1, text: "B"))
        #expect(handle.value?.text == "B")
    }

    @Test func resolvesWhileTheTableGrowsAndShrinks() {
        let handles = (0..<500).map { cache.cached(Note.self, id: $0) }
        for id in 0..<500 { cache.set(Note(id: id, text: "\(id)")) }
        for (id, handle) in handles.enumerated() { #expect(handle.value?.text == "\(id)") }
        for id in 1..<500 { cache.remove(Note.self, id: id) }
        #expect(handles.compactMap { $0.value?.text } == ["0"])
        cache.set(contentsOf: (0..<500).map { Note(id: $0, text: "\(-$0)") })
        for (id, handle) in handles.enumerated() { #expect(handle.value?.text == "\(-id)") }
    }

    @Test func settingWritesThrough() {
        let handle = cache.cached(Note.self, id: 1)
        handle.value = Note(id: 1, text: "A")
        #expect(cache[Note.self, 1]?.text == "A")
        handle.value = nil
        #expect(cache[Note.self, 1] == nil)
        handle.value = nil
        #expect(cache.version == 2)
    }

    @Test func changingInPlaceWritesThrough() {
        let handle = cache.cached(Note.self, id: 1)
        handle.value?.text = "nobody"
        #expect(cache[Note.self, 1] == nil)
        cache.set(Note(id: 1, text: "A"))
        handle.value?.text = "B"
        #expect(cache[Note.self, 1]?.text == "B")
    }

    @Test func updateIsAtomicAndRethrows() {
        struct Refusal: Error {}
        let handle = cache.cached(Station.self, id: 1)
        #expect(handle.update { $0.revision = 1 } == nil)
        handle.value = Station(id: 1)
        let ended = onThreads(4) { _ in
            for _ in 0..<250 { handle.update { $0.revision += 1 } }
        }
        #expect(ended)
        #expect(handle.value?.revision == 1000)
        #expect(throws: Refusal.self) {
            try handle.update { station throws(Refusal) in
                station.revision = 0
                throw Refusal()
            }
        }
        #expect(handle.value?.revision == 1000)
    }

    @Test func observesAndNotifies() {
        let handle = cache.cached(Note.self, id: 1)
        let received = Recorder<String>()
        let observation = handle.observe { received.append($0.text) }
        handle.value = Note(id: 1, text: "A")
        handle.update { $0.text = "B" }
        handle.value = nil
        #expect(received.all == ["A", "B"])
        observation.dispose()
    }

    @Test func observationOutlivesTheHandle() {
        let received = Recorder<String>()
        let observation = cache.cached(Note.self, id: 1).observe { received.append($0.text) }
        cache.set(Note(id: 1, text: "A"))
        #expect(received.all == ["A"])
        observation.dispose()
    }

    @Test func handlesAreEqualByCacheAndKey() {
        let other = Cache()
        let first = cache.cached(Note.self, id: 1)
        let same: Cached<Note> = cache.cached(1)
        let different = cache.cached(Note.self, id: 2)
        let elsewhere = other.cached(Note.self, id: 1)
        #expect(first == same)
        #expect(first.hashValue == same.hashValue)
        #expect(first != different)
        #expect(first != elsewhere)
        #expect(Set([first, same, different, elsewhere]).count == 3)
    }

    @Test func hasItsKeyAndIdentifier() {
        let handle = cache.cached(Author.self, id: "le-guin")
        #expect(handle.id == "le-guin")
        #expect(handle.key == CacheKey(Author.self, id: "le-guin"))
        #expect(handle.description == "Cached Author(\"le-guin\")")
    }

    @Test func handleDoesNotKeepItsCache() {
        weak var weakCache: Cache?
        let handle: Cached<Note>
        do {
            let cache = Cache()
            weakCache = cache
            cache.set(Note(id: 1, text: "A"))
            handle = cache.cached(1)
            #expect(handle.value?.text == "A")
        }
        #expect(weakCache == nil)
        #expect(handle.value == nil)
    }

    @Test func writesAfterTheReleaseOfTheCacheDoNothing() {
        let received = Recorder<String>()
        var cache: Cache? = Cache()
        let handle = cache?.cached(Note.self, id: 1)
        handle?.value = Note(id: 1, text: "A")
        cache = nil
        handle?.value = Note(id: 1, text: "B")
        #expect(handle?.value == nil)
        #expect(handle?.update { $0.text = "C" } == nil)
        handle?.value = nil
        let observation = handle?.observe(initial: true) { received.append($0.text) }
        handle?.value = Note(id: 1, text: "D")
        #expect(received.all == [])
        observation?.dispose()
    }

    @Test func handleToAMissingEntityLeavesNothingBehind() throws {
        for id in 0..<100 {
            let handle = cache.cached(Note.self, id: id)
            #expect(handle.value == nil)
            handle.value = nil
            handle.update { $0.text = "" }
        }
        let table = try #require(cache.core.tables.existingTable(of: Note.self))
        #expect(table.entryCount == 0)
        #expect(cache.core.watchedCount == 0)
        #expect(cache.version == 0)
    }

    @Test func observationOfAMissingEntityLeavesNothingBehind() throws {
        for id in 0..<100 {
            cache.cached(Station.self, id: id).observe(initial: true) { _ in }.dispose()
        }
        let table = try #require(cache.core.tables.existingTable(of: Station.self))
        #expect(table.entryCount == 0)
        #expect(cache.core.watchedCount == 0)
    }
}
