import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct CacheReadingTests {
    let cache = Cache()

    @Test func readsStoredValuesInEveryForm() {
        cache.set(Note(id: 1, text: "one"))

        let inferred: Note? = cache.get(1)
        #expect(inferred?.text == "one")
        #expect(cache.get(Note.self, id: 1)?.text == "one")
        #expect(cache[Note.self, 1]?.text == "one")
        #expect(cache.contains(Note.self, id: 1))
    }

    @Test func readsNilForMissingEntities() {
        let inferred: Note? = cache.get(1)
        #expect(inferred == nil)
        #expect(cache[Note.self, 1] == nil)
        #expect(!cache.contains(Note.self, id: 1))
        cache.set(Note(id: 2, text: "two"))
        #expect(cache[Note.self, 1] == nil)
    }

    @Test func listsEachTypeApart() {
        cache.set(contentsOf: (0..<100).map { Note(id: $0, text: "\($0)") })
        cache.set(contentsOf: (0..<30).map { Book(id: $0) })

        #expect(cache.count(of: Note.self) == 100)
        #expect(cache.count(of: Book.self) == 30)
        #expect(cache.count(of: Author.self) == 0)
        #expect(cache.ids(of: Note.self).sorted() == Array(0..<100))
        #expect(cache.ids(of: Book.self).sorted() == Array(0..<30))
        #expect(cache.ids(of: Author.self).isEmpty)
        #expect(Set(cache.values(of: Note.self).map(\.text)) == Set((0..<100).map(String.init)))
        #expect(cache.values(of: Author.self).isEmpty)
    }

    @Test func listsNothingThatWasRemoved() {
        cache.set(contentsOf: (0..<100).map { Note(id: $0, text: "") })
        for id in 0..<100 where id % 3 != 0 { cache.remove(Note.self, id: id) }

        let remaining = Array(stride(from: 0, to: 100, by: 3))
        #expect(cache.count(of: Note.self) == remaining.count)
        #expect(cache.ids(of: Note.self).sorted() == remaining)
        #expect(cache.values(of: Note.self).map(\.id).sorted() == remaining)
        cache.core.checkInvariants()
    }

    @Test func anotherThreadReadsAValueOnceSetHasReturned() {
        let misses = Recorder<Int>()
        for id in 0..<50 {
            cache.set(Note(id: id, text: ""))
            let reader = RunningThread { [cache] in
                if cache[Note.self, id] == nil { misses.append(id) }
            }
            #expect(reader.wait())
        }
        #expect(misses.all == [])
    }

    @Test func readsTheSameThroughCacheBatchAndSnapshot() {
        cache.set(contentsOf: [Note(id: 1, text: "one"), Note(id: 2, text: "two")])

        expectTwoNotes(in: cache)
        cache.withSnapshot { expectTwoNotes(in: $0) }
        cache.performBatchUpdates { expectTwoNotes(in: $0) }
    }

    private func expectTwoNotes(in notes: some ReadableCache) {
        let second: Note? = notes.get(2)
        #expect(second?.text == "two")
        #expect(notes[Note.self, 1]?.text == "one")
        #expect(notes.contains(Note.self, id: 1))
        #expect(!notes.contains(Note.self, id: 3))
        #expect(notes.count(of: Note.self) == 2)
        #expect(notes.ids(of: Note.self).sorted() == [1, 2])
        #expect(notes.values(of: Note.self).map(\.text).sorted() == ["one", "two"])
    }
}
