import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CacheBatchingNotificationTests {
    struct Refusal: Error {}

    let cache = Cache()

    @Test func eachObserverIsCalledOnceWithTheFinalValue() {
        let titles = Recorder<String?>()
        let observation = cache.cached(Book.self, id: 1).observe { titles.append($0.title) }
        cache.performBatchUpdates { batch in
            for title in ["A", "B", "C"] { batch.set(Book(id: 1, title: title)) }
            batch.update(Book.self, id: 1) { $0.title = "D" }
            #expect(titles.all == [])
        }
        #expect(titles.all == ["D"])
        observation.dispose()
    }

    @Test func severalReachedChangesNotifyOnce() {
        cache.set(contentsOf: Station.chain(10))
        let received = Recorder<Station.ID>()
        let observation = cache.record(0, in: received)
        cache.performBatchUpdates { batch in
            for id in 0..<10 { batch.touch(id) }
        }
        #expect(received.all == [0])
        observation.dispose()
    }

    @Test func restoredValuesDontNotify() {
        cache.set(Book(id: 1, title: "A"))
        let received = Recorder<CacheKey>()
        let observations = (1...2).map { id in
            cache.cached(Book.self, id: id).observeChanges { received.append($0.key) }
        }
        let version = cache.version
        cache.performBatchUpdates { batch in
            batch.replace(Book(id: 1, title: "B"))
            batch.set(Book(id: 2))
            batch.replace(Book(id: 1, title: "A"))
            batch.remove(Book.self, id: 2)
        }
        cache.performBatchUpdates { batch in
            batch.remove(Book.self, id: 1)
            batch.set(Book(id: 1, title: "A"))
        }
        #expect(received.all == [])
        #expect(cache.version == version)
        #expect(cache[Book.self, 1] == Book(id: 1, title: "A"))
        cache.core.checkInvariants()
        for observation in observations { observation.dispose() }
    }

    @Test func unchangedEntitiesDontHideChangedOnes() {
        cache.set(contentsOf: [Book(id: 1, title: "A"), Book(id: 2, title: "A")])
        let received = Recorder<CacheKey>()
        let observations = (1...2).map { id in
            cache.cached(Book.self, id: id).observeChanges { received.append($0.key) }
        }
        cache.performBatchUpdates { batch in
            for title in ["B", "A"] { batch.set(Book(id: 1, title: title)) }
            batch.set(Book(id: 2, title: "B"))
        }
        #expect(received.all == [CacheKey(Book.self, id: 2)])
        for observation in observations { observation.dispose() }
    }

    @Test func nestedBatchNotifiesOnlyWithTheOuterOne() {
        let received = Recorder<String?>()
        let observation = cache.cached(Book.self, id: 1).observe { received.append($0.title) }
        cache.performBatchUpdates { _ in
            cache.performBatchUpdates { $0.set(Book(id: 1, title: "inner")) }
            #expect(received.all == [])
        }
        #expect(received.all == ["inner"])
        observation.dispose()
    }

    @Test func rolledBackNestedBatchDoesntNotify() {
        cache.set(contentsOf: [Book(id: 1, title: "A"), Book(id: 2, title: "A")])
        let received = Recorder<CacheKey>()
        let observations = (1...2).map { id in
            cache.cached(Book.self, id: id).observeChanges { received.append($0.key) }
        }
        cache.performBatchUpdates { batch in
            batch.set(Book(id: 1, title: "B"))
            try? cache.performBatchUpdates { inner in
                inner.set(Book(id: 1, title: "A"))
                inner.set(Book(id: 2, title: "B"))
                throw Refusal()
            }
        }
        #expect(received.all == [CacheKey(Book.self, id: 1)])
        #expect(cache[Book.self, 1]?.title == "B")
        for observation in observations { observation.dispose() }
    }

    @Test func completionIsCalledAfterTheObservers() {
        let events = Recorder<String>()
        let observation = cache.cached(Note.self, id: 1).observe { events.append($0.text) }
        cache.performBatchUpdates {
            $0.set(Note(id: 1, text: "observer"))
            events.append("closure")
        } completion: {
            events.append("completion")
        }
        events.append("returned")
        #expect(events.all == ["closure", "observer", "completion", "returned"])
        observation.dispose()
    }

    @Test func completionIsCalledWithoutChanges() {
        let events = Recorder<String>()
        cache.performBatchUpdates { _ in
        } completion: {
            events.append("completion")
        }
        #expect(events.all == ["completion"])
        #expect(cache.version == 0)
    }

    @Test func thereIsNoCompletionAfterAThrow() {
        let events = Recorder<String>()
        #expect(throws: Refusal.self) {
            try cache.performBatchUpdates { _ throws(Refusal) in
                cache.performBatchUpdates { _ in
                } completion: {
                    events.append("inner")
                }
                throw Refusal()
            } completion: {
                events.append("outer")
            }
        }
        cache.set(Note(id: 1, text: ""))
        #expect(events.all == [])
    }

    @Test func completionOfANestedBatchWaitsForTheOuterOne() {
        let events = Recorder<String>()
        let observation = cache.cached(Note.self, id: 1).observe { events.append($0.text) }
        cache.performBatchUpdates { _ in
            cache.performBatchUpdates {
                $0.set(Note(id: 1, text: "observer"))
            } completion: {
                events.append("inner")
            }
            events.append("closure")
        } completion: {
            events.append("outer")
        }
        #expect(events.all == ["closure", "observer", "inner", "outer"])
        observation.dispose()
    }

    @Test func onlyRolledBackCompletionsAreDropped() {
        let events = Recorder<String>()
        cache.performBatchUpdates { _ in
            cache.performBatchUpdates { _ in
            } completion: {
                events.append("kept")
            }
            try? cache.performBatchUpdates { _ in
                cache.performBatchUpdates { _ in
                } completion: {
                    events.append("dropped")
                }
                throw Refusal()
            }
        } completion: {
            events.append("outer")
        }
        #expect(events.all == ["kept", "outer"])
    }

    @Test func completionMayWriteAndBatch() {
        let events = Recorder<String>()
        let observation = cache.cached(Note.self, id: 1).observe { events.append($0.text) }
        cache.performBatchUpdates {
            $0.set(Note(id: 1, text: "first"))
        } completion: { [cache] in
            cache.performBatchUpdates {
                $0.set(Note(id: 1, text: "second"))
            } completion: {
                events.append("inner completion")
            }
            events.append("completion")
        }
        #expect(events.all == ["first", "completion", "second", "inner completion"])
        observation.dispose()
    }
}
