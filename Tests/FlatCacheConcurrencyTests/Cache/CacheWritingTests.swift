import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct CacheWritingTests {
    struct Refusal: Error, Equatable {
        let reason: Int
    }

    let cache = Cache()

    @Test func setReturnsTheStoredValue() {
        #expect(cache.set(Book(id: 1, title: "A")) == Book(id: 1, title: "A"))
        #expect(cache.set(Book(id: 1, year: 1974)) == Book(id: 1, title: "A", year: 1974))
        #expect(cache[Book.self, 1] == Book(id: 1, title: "A", year: 1974))
    }

    @Test func setReplacesValuesThatDontMerge() {
        cache.set(Note(id: 1, text: "old"))
        #expect(cache.set(Note(id: 1, text: "new")).text == "new")
        #expect(cache[Note.self, 1]?.text == "new")
    }

    @Test func setContentsReturnsTheStoredValues() {
        let stored = cache.set(contentsOf: [
            Book(id: 1, title: "A"), Book(id: 2, title: "B"), Book(id: 1, year: 1974),
        ])
        #expect(
            stored == [
                Book(id: 1, title: "A"), Book(id: 2, title: "B"),
                Book(id: 1, title: "A", year: 1974),
            ]
        )
        #expect(cache[Book.self, 1] == Book(id: 1, title: "A", year: 1974))
    }

    @Test func setContentsIsOneCommit() {
        cache.set(contentsOf: (0..<10).map { Note(id: $0, text: "") })
        #expect(cache.version == 1)
    }

    @Test func setContentsTakesASequenceThatUsesTheCache() {
        let notes = (0..<3).lazy.map { [cache] id in
            cache.set(Book(id: id))
            return Note(id: id, text: "\(cache.count(of: Book.self))")
        }
        cache.set(contentsOf: notes)
        #expect(cache.count(of: Note.self) == 3)
        #expect(cache.count(of: Book.self) == 3)
    }

    @Test func replaceNeverMerges() {
        cache.set(Book(id: 1, title: "A", year: 1974))
        #expect(cache.replace(Book(id: 1, title: "B")) == Book(id: 1, title: "B"))
        #expect(cache[Book.self, 1] == Book(id: 1, title: "B"))
        cache.performBatchUpdates { $0.replace(Book(id: 1, year: 2)) }
        #expect(cache[Book.self, 1] == Book(id: 1, year: 2))
    }

    @Test func updateChangesInPlaceWithoutMerging() {
        cache.set(Book(id: 1, title: "A", year: 1974))
        let updated = cache.update(Book.self, id: 1) { $0.title = nil }
        #expect(updated == Book(id: 1, year: 1974))
        #expect(cache[Book.self, 1] == Book(id: 1, year: 1974))
    }

    @Test func updateOfAMissingEntityDoesntCallItsClosure() {
        var isCalled = false
        #expect(cache.update(Book.self, id: 1) { _ in isCalled = true } == nil)
        #expect(!isCalled)
        #expect(cache.version == 0)
        #expect(cache.count(of: Book.self) == 0)
    }

    @Test func updateThatThrowsChangesNothingAndRethrows() {
        cache.set(Book(id: 1, title: "A"))
        let version = cache.version
        let observed = Recorder<Book>()
        let observation = cache.cached(Book.self, id: 1).observe { observed.append($0) }

        #expect(throws: Refusal(reason: 7)) {
            try cache.update(Book.self, id: 1) { book throws(Refusal) in
                book.title = "B"
                cache.set(Note(id: 1, text: "a witness"))
                throw Refusal(reason: 7)
            }
        }

        #expect(cache[Book.self, 1] == Book(id: 1, title: "A"))
        #expect(cache[Note.self, 1] == nil)
        #expect(cache.version == version)
        #expect(observed.count == 0)
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func updateThatThrowsInsideABatchRollsBackOnlyItsOwnWrites() {
        cache.set(Book(id: 1, title: "A"))
        cache.performBatchUpdates { batch in
            batch.set(Note(id: 1, text: "the batch's"))
            #expect(throws: Refusal.self) {
                try batch.update(Book.self, id: 1) { book throws(Refusal) in
                    batch.set(Note(id: 1, text: "the update's"))
                    batch.set(Note(id: 2, text: "the update's"))
                    book.title = "B"
                    throw Refusal(reason: 1)
                }
            }
            #expect(batch[Note.self, 1]?.text == "the batch's")
            #expect(batch.count(of: Note.self) == 1)
        }
        #expect(cache[Note.self, 1]?.text == "the batch's")
        #expect(cache[Note.self, 2] == nil)
        #expect(cache[Book.self, 1]?.title == "A")
        cache.core.checkInvariants()
    }

    @Test func updatesInABatchAddUp() {
        cache.performBatchUpdates { batch in
            batch.set(contentsOf: [Station(id: 1), Station(id: 2)])
            for _ in 0..<3 {
                batch.touch(1)
                batch.touch(2)
                batch.touch(1)
            }
        }
        #expect(cache[Station.self, 1]?.revision == 6)
        #expect(cache[Station.self, 2]?.revision == 3)
        cache.core.checkInvariants()
    }

    @Test func otherWritesOfAnUpdateJoinItsCommit() {
        cache.set(Book(id: 1, title: "A"))
        let version = cache.version
        cache.update(Book.self, id: 1) { book in
            cache.set(Note(id: 1, text: "renamed"))
            book.title = "B"
            #expect(cache[Note.self, 1] == nil)
        }
        #expect(cache[Note.self, 1]?.text == "renamed")
        #expect(cache.version == version + 1)
    }

    @Test func updateNotifiesObserversAddedInIt() {
        cache.set(Station(id: 1))
        let received = Recorder<EntityChange<Station>>()
        var observation: Disposable?
        cache.update(Station.self, id: 1) { station in
            observation = cache.cached(Station.self, id: 1).observeChanges { received.append($0) }
            station.revision = 7
        }
        #expect(received.all.map(\.kind) == [.updated])
        #expect(received.all.map(\.new?.revision) == [7])
        cache.core.checkInvariants()
        observation?.dispose()
    }

    @Test func openSnapshotDoesntShowAnUpdate() {
        cache.set(Station(id: 1))
        cache.withSnapshot { snapshot in
            cache.update(Station.self, id: 1) { $0.revision = 7 }
            #expect(snapshot[Station.self, 1]?.revision == 0)
        }
        cache.update(Station.self, id: 1) { station in
            cache.withSnapshot { #expect($0[Station.self, 1]?.revision == 7) }
            station.revision = 8
        }
        #expect(cache[Station.self, 1]?.revision == 8)
        cache.core.checkInvariants()
    }

    @Test func updateThatChangesNothingIsNoCommit() {
        cache.set(Book(id: 1, title: "A"))
        let version = cache.version
        #expect(cache.update(Book.self, id: 1) { $0.title = "A" } == Book(id: 1, title: "A"))
        #expect(cache.version == version)
        cache.update(Book.self, id: 1) { $0.title = "B" }
        #expect(cache.version == version + 1)
    }

    @Test func updatesResultOverwritesItsOwnWrites() {
        cache.set(Station(id: 1))
        let version = cache.version
        cache.update(Station.self, id: 1) { station in
            cache.set(Station(id: 1, revision: 3))
            cache.remove(Station.self, id: 1)
            station.revision = 7
        }
        #expect(cache[Station.self, 1]?.revision == 7)
        #expect(cache.version == version + 1)
        #expect(cache.count(of: Station.self) == 1)
        cache.core.checkInvariants()
    }

    @Test func completionOfABatchInsideAnUpdateIsCalledAfterTheCommit() {
        cache.set(Station(id: 1))
        let seen = Recorder<Int?>()
        cache.update(Station.self, id: 1) { [cache] station in
            cache.performBatchUpdates { _ in
            } completion: {
                seen.append(cache[Station.self, 1]?.revision)
            }
            station.revision = 7
        }
        #expect(seen.all == [7])
    }

    @Test func updatesOnSeveralThreadsLoseNothing() {
        cache.set(Station(id: 0))
        let ended = onThreads(4) { [cache] _ in
            for _ in 0..<500 { cache.touch(0) }
        }
        #expect(ended)
        #expect(cache.isSettled())
        #expect(cache[Station.self, 0]?.revision == 2000)
    }

    @Test func removeReturnsTheRemovedValue() {
        cache.set(Book(id: 1, title: "A"))
        cache.set(Book(id: 2, title: "B"))
        #expect(cache.remove(Book.self, id: 1) == Book(id: 1, title: "A"))
        #expect(cache[Book.self, 1] == nil)
        #expect(cache[Book.self, 2] == Book(id: 2, title: "B"))
        #expect(cache.remove(Book.self, id: 1) == nil)
    }

    @Test func removingNothingIsNoCommit() {
        cache.set(Book(id: 1))
        cache.remove(Book.self, id: 2)
        cache.remove(Note.self, id: 1)
        cache.removeAll(Note.self)
        #expect(cache.version == 1)
    }

    @Test func removeAllOfATypeLeavesTheOthers() {
        cache.set(contentsOf: (0..<50).map { Book(id: $0) })
        cache.set(Note(id: 1, text: ""))
        #expect(cache.removeAll(Book.self) == 50)
        #expect(cache.count(of: Book.self) == 0)
        #expect(cache.count(of: Note.self) == 1)
        #expect(cache.removeAll(Book.self) == 0)
        cache.core.checkInvariants()
    }

    @Test func removeAllEmptiesTheCacheInOneCommit() {
        cache.set(contentsOf: (0..<50).map { Book(id: $0) })
        cache.set(Note(id: 1, text: ""))
        let version = cache.version
        #expect(cache.removeAll() == 51)
        #expect(cache.version == version + 1)
        #expect(cache.count(of: Book.self) == 0)
        #expect(cache[Note.self, 1] == nil)
        #expect(cache.removeAll() == 0)
        cache.core.checkInvariants()
    }

    @Test func removedValueIsStoredAgainWithoutMerging() {
        cache.set(Book(id: 1, title: "A"))
        cache.remove(Book.self, id: 1)
        cache.set(Book(id: 1, year: 1974))
        #expect(cache[Book.self, 1] == Book(id: 1, year: 1974))
    }

    @Test func settingAnEqualValueIsNoCommit() {
        cache.set(Book(id: 1, title: "A"))
        cache.set(Book(id: 1, title: "A"))
        cache.set(Book(id: 1))
        cache.replace(Book(id: 1, title: "A"))
        cache.update(Book.self, id: 1) { $0.title = "A" }
        cache.set(contentsOf: [Book(id: 1, title: "A")])
        #expect(cache.version == 1)
    }

    @Test func everyWriteOfAValueWithoutEqualityIsACommit() {
        cache.set(Note(id: 1, text: "A"))
        cache.set(Note(id: 1, text: "A"))
        #expect(cache.version == 2)
    }
}
