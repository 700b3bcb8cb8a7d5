import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CacheBatchingTests {
    struct Refusal: Error, Equatable {}

    let cache = Cache()

    @Test func runsItsClosureAtOnceAndReturnsItsResult() {
        var isRun = false
        let result = cache.performBatchUpdates { _ in
            isRun = true
            return 42
        }
        #expect(isRun)
        #expect(result == 42)
    }

    @Test func isOneCommit() {
        cache.performBatchUpdates { batch in
            batch.set(Book(id: 1))
            batch.set(Note(id: 1, text: ""))
            batch.set(contentsOf: [Book(id: 2), Book(id: 3)])
            batch.update(Book.self, id: 2) { $0.title = "B" }
            batch.remove(Book.self, id: 3)
        }
        #expect(cache.version == 1)
        #expect(
            cache.values(of: Book.self).sorted { $0.id < $1.id } == [
                Book(id: 1), Book(id: 2, title: "B"),
            ]
        )
        cache.core.checkInvariants()
    }

    @Test func readsItsOwnWritesWhileTheCacheShowsTheStateBefore() {
        cache.set(contentsOf: [Note(id: 1, text: "old"), Note(id: 2, text: "going")])
        let first = cache.cached(Note.self, id: 1)
        cache.performBatchUpdates { batch in
            batch.set(Note(id: 1, text: "new"))
            batch.remove(Note.self, id: 2)
            batch.set(Note(id: 3, text: "more"))
            batch.set(Note(id: 4, text: "and more"))

            #expect(batch[Note.self, 1]?.text == "new")
            #expect(batch[Note.self, 2] == nil)
            #expect(batch.count(of: Note.self) == 3)
            #expect(batch.ids(of: Note.self).sorted() == [1, 3, 4])
            #expect(
                batch.values(of: Note.self).map(\.text).sorted() == ["and more", "more", "new"]
            )

            #expect(cache[Note.self, 1]?.text == "old")
            #expect(first.value?.text == "old")
            #expect(cache[Note.self, 2]?.text == "going")
            #expect(cache[Note.self, 3] == nil)
            #expect(cache.count(of: Note.self) == 2)
            #expect(cache.ids(of: Note.self).sorted() == [1, 2])
            #expect(cache.withSnapshot { $0.values(of: Note.self).count } == 2)
        }
        #expect(first.value?.text == "new")
        #expect(cache.ids(of: Note.self).sorted() == [1, 3, 4])
    }

    @Test func throwingLeavesNoTrace() {
        cache.set(contentsOf: [Book(id: 1, title: "A"), Book(id: 2)])
        let version = cache.version
        let received = Recorder<CacheKey>()
        let observations = (1...3).map { id in
            cache.cached(Book.self, id: id).observeChanges { received.append($0.key) }
        }

        #expect(throws: Refusal.self) {
            try cache.performBatchUpdates { batch throws(Refusal) in
                batch.set(Book(id: 1, title: "B", sequel: 3))
                batch.remove(Book.self, id: 2)
                batch.set(Book(id: 3))
                batch.set(Note(id: 1, text: ""))
                throw Refusal()
            }
        }

        #expect(cache.version == version)
        #expect(cache[Book.self, 1] == Book(id: 1, title: "A"))
        #expect(cache[Book.self, 2] == Book(id: 2))
        #expect(cache[Book.self, 3] == nil)
        #expect(cache.count(of: Book.self) == 2)
        #expect(cache.count(of: Note.self) == 0)
        #expect(cache.ids(of: Book.self).sorted() == [1, 2])
        #expect(received.all == [])
        cache.core.checkInvariants()

        // The next commit must not publish any of the rolled-back writes either.
        cache.set(Book(id: 4))
        #expect(received.all == [])
        #expect(cache.ids(of: Book.self).sorted() == [1, 2, 4])
        for observation in observations { observation.dispose() }
    }

    @Test func writesToTheCacheOnTheSameThreadJoinTheBatch() {
        cache.set(Book(id: 2))
        let handle = cache.cached(Book.self, id: 1)
        let version = cache.version
        cache.performBatchUpdates { batch in
            cache.set(Note(id: 1, text: ""))
            handle.value = Book(id: 1)
            cache.update(Book.self, id: 2) { $0.year = 1 }
            #expect(batch.contains(Note.self, id: 1))
            #expect(batch.contains(Book.self, id: 1))
            #expect(batch[Book.self, 2]?.year == 1)
            #expect(cache[Note.self, 1] == nil)
        }
        #expect(cache.version == version + 1)
        #expect(handle.value == Book(id: 1))
        #expect(cache[Note.self, 1] != nil)
    }

    @Test func writesToTheCacheOnTheSameThreadAreRolledBack() {
        #expect(throws: Refusal.self) {
            try cache.performBatchUpdates { _ throws(Refusal) in
                cache.set(Note(id: 1, text: ""))
                cache.removeAll()
                cache.set(Note(id: 2, text: ""))
                throw Refusal()
            }
        }
        #expect(cache.count(of: Note.self) == 0)
        #expect(cache.version == 0)
    }

    @Test func nestedBatchJoins() {
        cache.performBatchUpdates { outer in
            outer.set(Note(id: 1, text: "outer"))
            cache.performBatchUpdates { inner in
                #expect(inner[Note.self, 1]?.text == "outer")
                inner.set(Note(id: 1, text: "inner"))
                inner.set(Note(id: 2, text: "inner"))
                outer.set(Note(id: 3, text: "outer, inside"))
            }
            #expect(outer[Note.self, 1]?.text == "inner")
            #expect(outer.count(of: Note.self) == 3)
            #expect(cache.count(of: Note.self) == 0)
        }
        #expect(cache.version == 1)
        #expect(cache.ids(of: Note.self).sorted() == [1, 2, 3])
    }

    @Test func nestedBatchThatThrowsRollsBackOnlyItsOwnWrites() {
        cache.set(Book(id: 9, title: "there before"))
        cache.performBatchUpdates { outer in
            outer.set(Book(id: 1, title: "outer"))
            #expect(throws: Refusal.self) {
                try cache.performBatchUpdates { inner throws(Refusal) in
                    inner.set(Book(id: 1, title: "inner"))
                    inner.set(Book(id: 2))
                    inner.remove(Book.self, id: 9)
                    cache.performBatchUpdates { $0.set(Book(id: 3)) }
                    throw Refusal()
                }
            }
            #expect(outer[Book.self, 1] == Book(id: 1, title: "outer"))
            #expect(outer.ids(of: Book.self).sorted() == [1, 9])
            #expect(outer.count(of: Book.self) == 2)
            outer.set(Book(id: 4))
        }
        #expect(cache.ids(of: Book.self).sorted() == [1, 4, 9])
        #expect(cache.count(of: Book.self) == 3)
        #expect(cache[Book.self, 1] == Book(id: 1, title: "outer"))
        cache.core.checkInvariants()
    }

    @Test("Batches at four depths that write the same entities in turn roll back without a trace")
    func deeplyNestedBatchesAreRolledBack() {
        cache.set(contentsOf: [Note(id: 1, text: "old"), Note(id: 2, text: "old")])
        #expect(throws: Refusal.self) {
            try cache.performBatchUpdates { batch in
                batch.set(Note(id: 1, text: "depth 1"))
                cache.performBatchUpdates { batch in
                    batch.set(Note(id: 2, text: "depth 2"))
                    try? cache.performBatchUpdates { batch in
                        batch.set(Note(id: 1, text: "depth 3"))
                        cache.performBatchUpdates { batch in
                            batch.set(Note(id: 2, text: "depth 4"))
                            batch.set(Note(id: 1, text: "depth 4"))
                        }
                        throw Refusal()
                    }
                    #expect(batch[Note.self, 1]?.text == "depth 1")
                    #expect(batch[Note.self, 2]?.text == "depth 2")
                }
                throw Refusal()
            }
        }
        cache.core.checkInvariants()
        for id in 3...8 { cache.set(Note(id: id, text: "later")) }
        #expect((1...2).map { cache[Note.self, $0]?.text } == ["old", "old"])
    }

    @Test func nestedBatchIsRolledBackWithTheOuterOne() {
        #expect(throws: Refusal.self) {
            try cache.performBatchUpdates { outer throws(Refusal) in
                outer.set(Book(id: 1))
                cache.performBatchUpdates { inner in
                    inner.set(Book(id: 1, title: "inner"))
                    inner.set(Book(id: 2))
                }
                throw Refusal()
            }
        }
        #expect(cache.count(of: Book.self) == 0)
        #expect(cache.version == 0)
        cache.core.checkInvariants()
    }

    @Test func severalBatchesOfOtherCachesDoNotMeet() {
        let other = Cache()
        cache.performBatchUpdates { batch in
            other.performBatchUpdates { otherBatch in
                otherBatch.set(Note(id: 1, text: "other"))
                batch.set(Note(id: 1, text: "this"))
            }
            #expect(other[Note.self, 1]?.text == "other")
            #expect(cache[Note.self, 1] == nil)
        }
        #expect(cache[Note.self, 1]?.text == "this")
    }

    @Test func oneIngestFunctionServesCacheAndBatch() {
        func ingest(_ books: [Book], into cache: some CacheType) {
            cache.set(contentsOf: books)
            cache.remove(Book.self, id: 0)
            cache.removeAll(Note.self)
        }
        ingest([Book(id: 0), Book(id: 1)], into: cache)
        cache.performBatchUpdates { ingest([Book(id: 2)], into: $0) }
        #expect(cache.ids(of: Book.self).sorted() == [1, 2])
        cache.performBatchUpdates { #expect($0.removeAll() == 2) }
        #expect(cache.count(of: Book.self) == 0)
    }

    @Test func functionOfACacheTypeMakesOneCommit() {
        struct Refused: Error {}
        func store(_ ids: [Int], in cache: some CacheType) throws(Refused) {
            try cache.performBatchUpdates { batch throws(Refused) in
                for id in ids { batch.set(Book(id: id)) }
                if batch.count(of: Book.self) > 4 { throw Refused() }
            }
        }
        let version = cache.version
        #expect(throws: Never.self) { try store([1, 2], in: cache) }
        #expect(cache.version == version + 1)
        cache.performBatchUpdates { batch in
            #expect(throws: Never.self) { try store([3, 4], in: batch) }
            #expect(throws: Refused.self) { try store([5, 6], in: batch) }
            batch.set(Book(id: 7))
        }
        #expect(cache.version == version + 2)
        #expect(cache.ids(of: Book.self).sorted() == [1, 2, 3, 4, 7])
    }
}
