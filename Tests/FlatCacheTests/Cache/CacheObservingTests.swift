import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct CacheObservingTests {
    let cache = Cache()

    @Test func everyFormOfObservingReceivesTheLatestValue() {
        let received = Recorder<String>()
        let handle = cache.cached(Note.self, id: 1)
        let stale = Note(id: 1, text: "not stored")
        let observations = [
            cache.cached(Note.self, id: 1).observe { received.append("type: \($0.text)") },
            cache.cached(stale).observe { received.append("value: \($0.text)") },
            handle.observe { received.append("handle: \($0.text)") },
            cache.cached(Note.self, id: 1).observeChanges {
                received.append("changes of type: \($0.new?.text ?? "-")")
            },
            cache.cached(stale).observeChanges {
                received.append("changes of value: \($0.new?.text ?? "-")")
            },
            handle.observeChanges { received.append("changes of handle: \($0.new?.text ?? "-")") },
        ]
        #expect(cache[Note.self, 1] == nil)
        cache.set(Note(id: 1, text: "A"))
        #expect(
            received.all == [
                "type: A", "value: A", "handle: A", "changes of type: A", "changes of value: A",
                "changes of handle: A",
            ]
        )
        for observation in observations { observation.dispose() }
    }

    @Test func settingNotifiesBeforeItReturns() {
        let received = Recorder<String>()
        let observation = cache.cached(Note.self, id: 1).observe { received.append($0.text) }
        for text in ["A", "B", "C"] {
            cache.set(Note(id: 1, text: text))
            #expect(received.all.last == text)
        }
        #expect(received.all == ["A", "B", "C"])
        observation.dispose()
    }

    @Test func missingEntityNotifiesItsObserversWhenItArrives() {
        let received = Recorder<Book>()
        let observation = cache.cached(Book.self, id: 1).observe { received.append($0) }
        cache.set(Book(id: 2))
        #expect(received.all == [])
        cache.set(Book(id: 1))
        #expect(received.all == [Book(id: 1)])
        observation.dispose()
    }

    @Test func observationOutlivesTheEntitysRemoval() {
        let received = Recorder<EntityChange<Book>.Kind>()
        let observation = cache.cached(Book.self, id: 1).observeChanges { received.append($0.kind) }
        cache.set(Book(id: 1))
        cache.remove(Book.self, id: 1)
        cache.remove(Book.self, id: 1)
        cache.set(Book(id: 1))
        #expect(received.all == [.inserted, .removed(.explicit), .inserted])
        cache.core.checkInvariants()
        observation.dispose()
    }

    @Test func equalValuesDontNotify() {
        cache.set(Book(id: 1, title: "A"))
        let received = Recorder<CacheKey>()
        let observation = cache.cached(Book.self, id: 1).observeChanges { received.append($0.key) }
        cache.set(Book(id: 1, title: "A"))
        cache.set(Book(id: 1))
        cache.replace(Book(id: 1, title: "A"))
        cache.update(Book.self, id: 1) { _ in }
        cache.performBatchUpdates { $0.set(Book(id: 1, title: "A")) }
        #expect(received.all == [])
        observation.dispose()
    }

    @Test func initialCallIsMadeAtOnceWithTheStoredValue() {
        cache.set(Note(id: 1, text: "A"))
        let received = Recorder<String>()
        let observations = [
            cache.cached(Note.self, id: 1).observe(initial: true) { received.append($0.text) },
            cache.cached(Note.self, id: 2).observe(initial: true) { received.append($0.text) },
            cache.cached(Note.self, id: 1).observe(initial: false) { received.append($0.text) },
            cache.cached(Note.self, id: 1).observe(initial: true) { received.append($0.text) },
        ]
        #expect(received.all == ["A", "A"])
        for observation in observations { observation.dispose() }
    }

    @Test func initialChangeIsThatOfAnInsertion() throws {
        cache.set(Note(id: 1, text: "A"))
        let received = Recorder<EntityChange<Note>>()
        let observation = cache.cached(Note.self, id: 1).observeChanges(initial: true) {
            received.append($0)
        }
        let change = try #require(received.all.first)
        #expect(received.count == 1)
        #expect(change.kind == .inserted)
        #expect(change.old == nil)
        #expect(change.new?.text == "A")
        #expect(change.version == cache.version)
        #expect(change.causes == [CacheKey(Note.self, id: 1)])
        observation.dispose()
    }

    @Test func initialCallInsideABatchShowsTheStateBeforeAndTheCommitFollows() {
        cache.set(Note(id: 1, text: "before"))
        let received = Recorder<String>()
        let observations = Locked<[Disposable]>([])
        cache.performBatchUpdates { batch in
            batch.set(Note(id: 1, text: "after"))
            let observation = cache.cached(Note.self, id: 1).observe(initial: true) {
                received.append($0.text)
            }
            observations.withLock { $0.append(observation) }
            #expect(received.all == [])
        }
        #expect(received.all == ["before", "after"])
        for observation in observations.withLock({ $0 }) { observation.dispose() }
    }

    @Test func observersOfSeveralNodesAreCalledInTheOrderOfTheirRegistration() {
        // Each observer observes another node, and a change of the last node reaches all.
        let count = 60
        cache.set(contentsOf: Station.chain(count))
        let received = Recorder<Int>()
        let nodes = (0..<count).map { ($0 * 37) % count }
        var observations = nodes.enumerated().map { order, node in
            cache.cached(Station.self, id: node).observe { _ in received.append(order) }
        }
        cache.touch(count - 1)
        #expect(received.all == Array(0..<count))

        // Some observations end, and new ones reuse their places.
        let disposed = Set(stride(from: 1, to: count, by: 3))
        for order in disposed { observations[order].dispose() }
        let more = (0..<20).map { order in
            cache.cached(Station.self, id: order * 2).observe { _ in received.append(count + order)
            }
        }
        observations += more
        cache.touch(count - 1)
        let expected = (0..<count).filter { !disposed.contains($0) } + Array(count..<count + 20)
        #expect(Array(received.all.dropFirst(count)) == expected)
        cache.core.checkInvariants()
        for observation in observations { observation.dispose() }
    }

    @Test func observersOfLimitedReachKeepTheirPlaceInTheOrder() {
        cache.set(contentsOf: Station.chain(4))
        let received = Recorder<Int>()
        let reaches: [RelationshipDepth] = [
            .levels(3), .allRelationships, .levels(5), .allRelationships, .levels(4),
        ]
        let observations = reaches.enumerated().map { order, following in
            cache.cached(Station.self, id: 0).following(following).observe { _ in
                received.append(order)
            }
        }
        cache.touch(3)
        #expect(received.all == [0, 1, 2, 3, 4])
        for observation in observations { observation.dispose() }
    }

    @Test func observersOfOneEntityAreCalledInTheOrderOfRegistration() {
        let received = Recorder<Int>()
        let observations = (0..<40).map { order in
            cache.cached(Note.self, id: 1).observe { _ in received.append(order) }
        }
        cache.set(Note(id: 1, text: ""))
        #expect(received.all == Array(0..<40))
        for observation in observations { observation.dispose() }
    }

    @Test func removalsNotify() {
        cache.set(contentsOf: (0..<6).map { Station(id: $0, next: $0 == 0 ? [5] : []) })
        let received = Recorder<String>()
        let observations = (0..<6).map { id in
            cache.cached(Station.self, id: id).observeChanges {
                received.append("\($0.kind) \($0.id)")
            }
        }
        cache.remove(Station.self, id: 5)
        #expect(received.all == ["related 0", "removed (explicit) 5"])
        cache.removeAll(Station.self)
        #expect(received.all.dropFirst(2) == (0..<5).map { "removed (explicit) \($0)" }[...])
        cache.set(Station(id: 3))
        cache.removeAll()
        #expect(received.all.suffix(2) == ["inserted 3", "removed (explicit) 3"])
        for observation in observations { observation.dispose() }
    }

    @Test func removalHasNoValueToHandToAPlainObserver() {
        cache.set(Note(id: 1, text: "A"))
        let received = Recorder<String>()
        let observation = cache.cached(Note.self, id: 1).observe { received.append($0.text) }
        cache.remove(Note.self, id: 1)
        cache.set(Note(id: 1, text: "B"))
        #expect(received.all == ["B"])
        observation.dispose()
    }
}
