import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that observations and pins begin without waiting for an open batch of another thread.
@Suite(.exclusive)
struct CacheRegistrationTests {
    let cache = Cache()
    let isOpen = Signal()
    let mayCommit = Signal()

    /// Opens a batch on another thread, which ends when `mayCommit` fires.
    private func openBatch(_ updates: @escaping @Sendable (CacheBatch) -> Void) -> RunningThread {
        let thread = RunningThread { [cache, isOpen, mayCommit] in
            cache.performBatchUpdates { batch in
                updates(batch)
                isOpen.fire()
                #expect(mayCommit.wait())
            }
        }
        #expect(isOpen.wait())
        return thread
    }

    private func commit(_ thread: RunningThread) {
        mayCommit.fire()
        #expect(thread.wait())
        #expect(cache.isSettled())
    }

    @Test func initialCallShowsTheStateBeforeTheBatch() {
        cache.set(Note(id: 1, text: "before"))
        let batch = openBatch { _ = $0.set(Note(id: 1, text: "after")) }
        let received = Recorder<String>()
        let token = cache.cached(Note.self, id: 1).observe(initial: true) {
            received.append($0.text)
        }
        // The cache makes the call before `observe` returns, although the batch is open.
        #expect(received.all == ["before"])
        commit(batch)
        #expect(received.all == ["before", "after"])
        token.dispose()
        #expect(cache.core.watchedCount == 0)
        cache.core.checkInvariants()
    }

    @Test func changesCarryTheVersionsOfTheirCommits() {
        cache.set(Note(id: 1, text: "before"))
        let batch = openBatch { _ = $0.remove(Note.self, id: 1) }
        let received = Recorder<EntityChange<Note>>()
        let token = cache.cached(Note.self, id: 1).observeChanges(initial: true, received.append)
        commit(batch)
        #expect(received.all.map(\.kind) == [.inserted, .removed(.explicit)])
        #expect(received.all.map(\.version) == [1, 2])
        #expect(received.all.map { $0.old?.text } == [nil, "before"])
        token.dispose()
    }

    @Test(arguments: [RelationshipDepth.allRelationships, .levels(2)])
    func batchReachesTheObserverOverRelationshipsThatItMakes(following: RelationshipDepth) {
        cache.set(Book(id: 1, title: "Tehanu"))
        let batch = openBatch { batch in
            batch.set(Book(id: 1, author: "le-guin"))
            batch.set(Author(id: "le-guin", name: "Ursula K. Le Guin"))
        }
        let received = Recorder<Set<CacheKey>>()
        let token = cache.cached(Book.self, id: 1).following(following).observeChanges {
            received.append($0.causes)
        }
        commit(batch)
        let keys = [CacheKey(Book.self, id: 1), CacheKey(Author.self, id: "le-guin")]
        #expect(received.all == [Set(keys)])
        cache.set(Author(id: "le-guin", name: "U. K. Le Guin"))
        #expect(received.all == [Set(keys), [keys[1]]])
        token.dispose()
        cache.core.checkInvariants()
    }

    @Test func batchThatThrowsLeavesTheObservation() {
        let thread = RunningThread { [cache, isOpen, mayCommit] in
            try? cache.performBatchUpdates { batch in
                batch.set(Note(id: 1, text: "never"))
                isOpen.fire()
                #expect(mayCommit.wait())
                throw CancellationError()
            }
        }
        #expect(isOpen.wait())
        let received = Recorder<String>()
        let token = cache.cached(Note.self, id: 1).observe(initial: true) {
            received.append($0.text)
        }
        commit(thread)
        #expect(received.all == [])
        cache.set(Note(id: 1, text: "then"))
        #expect(received.all == ["then"])
        token.dispose()
    }

    @Test func disposedRegistrationIsNeverNotified() {
        cache.set(Note(id: 1, text: "before"))
        let batch = openBatch { _ = $0.set(Note(id: 1, text: "after")) }
        let received = Recorder<String>()
        for _ in 0..<100 {
            cache.cached(Note.self, id: 1).observe { received.append($0.text) }.dispose()
            _ = cache.pin(Note.self, id: 1)
        }
        #expect(!cache.core.clock.hasRegistrations)
        commit(batch)
        #expect(received.all == [])
        #expect(cache.core.watchedCount == 0)
    }

    @Test func sequenceStartsDuringABatch() async {
        cache.set(Note(id: 1, text: "before"))
        let batch = openBatch { _ = $0.set(Note(id: 1, text: "after")) }
        var values = cache.cached(Note.self, id: 1).values.makeAsyncIterator()
        #expect(await values.next()??.text == "before")
        mayCommit.fire()
        #expect(await values.next()??.text == "after")
        #expect(batch.wait())
    }

    @Test func listsAndAliasesAreObservedDuringABatch() {
        let list = cache.list("shelf", of: Note.self)
        list.replace(with: [Note(id: 1, text: "a")])
        let alias = cache.alias("current", of: Note.self)
        alias.target = 1
        let batch = openBatch { batch in
            batch.set(Note(id: 2, text: "b"))
            list.append(contentsOf: [Note(id: 2, text: "b")])
            alias.target = 2
        }
        let elements = Recorder<[String]>()
        let targets = Recorder<String?>()
        let tokens = [
            list.observe(initial: true) { elements.append($0.map(\.text)) },
            alias.observe(initial: true) { targets.append($0?.text) },
        ]
        #expect(elements.all == [["a"]])
        #expect(targets.all == ["a"])
        commit(batch)
        #expect(elements.all == [["a"], ["a", "b"]])
        #expect(targets.all == ["a", "b"])
        for token in tokens { token.dispose() }
    }

    @Test func allEntitiesOfATypeAreObservedDuringABatch() {
        cache.set(contentsOf: [Note(id: 1, text: "a"), Note(id: 2, text: "b")])
        let batch = openBatch { batch in
            batch.set(Note(id: 2, text: "c"))
            batch.set(Note(id: 3, text: "d"))
        }
        let changes = Recorder<TypeChanges<Note>>()
        let token = cache.observeAll(Note.self, initial: true, changes.append)
        #expect(changes.count == 1)
        commit(batch)
        #expect(changes.count == 2)
        #expect(changes.all[0].version == 1)
        #expect(changes.all[0].inserted.map(\.id).sorted() == [1, 2])
        #expect(changes.all[0].inserted.compactMap(\.new?.text).sorted() == ["a", "b"])
        #expect(changes.all[1].updated.map(\.id) == [2])
        #expect(changes.all[1].inserted.map(\.id) == [3])
        token.dispose()
    }

    @Test func pinDuringABatchProtectsFromItsEvictions() {
        cache.limit(Note.self, .count(1))
        cache.set(Note(id: 1, text: "a"))
        let batch = openBatch { _ = $0.set(Note(id: 2, text: "b")) }
        let pin = cache.pin(Note.self, id: 1)
        commit(batch)
        #expect(cache[Note.self, 1]?.text == "a")
        cache.set(Note(id: 3, text: "c"))
        #expect(cache[Note.self, 1]?.text == "a")
        pin.dispose()
        cache.set(Note(id: 4, text: "d"))
        #expect(cache.count(of: Note.self) == 1)
        cache.core.checkInvariants()
    }

    @Test func observationDuringABatchProtectsFromItsEvictions() {
        cache.limit(Note.self, .count(1))
        cache.set(Note(id: 1, text: "a"))
        let batch = openBatch { _ = $0.set(Note(id: 2, text: "b")) }
        let token = cache.cached(Note.self, id: 1).observe { _ in }
        commit(batch)
        #expect(cache[Note.self, 1]?.text == "a")
        token.dispose()
    }

    @Test func observerReceivesAnExchangeInProgress() {
        // The writer compares identifiers and values under the writers' lock, in the middle of an
        // exchange in place.
        let isComparing = Signal()
        let mayExchange = Signal()
        let onCompare = Locked<(@Sendable () -> Void)?>(nil)
        cache.set(ComparingEntity(id: 1, number: 1, onCompare: onCompare))
        onCompare.withLock {
            $0 = {
                isComparing.fire()
                #expect(mayExchange.wait())
            }
        }
        let writer = RunningThread { [cache] in
            cache.set(ComparingEntity(id: 1, number: 2, onCompare: onCompare))
        }
        #expect(isComparing.wait())
        onCompare.withLock { $0 = nil }
        let numbers = Recorder<Int>()
        let changes = Recorder<TypeChanges<ComparingEntity>>()
        let tokens = [
            cache.cached(ComparingEntity.self, id: 1).observe(initial: true) {
                numbers.append($0.number)
            },
            cache.observeAll(ComparingEntity.self, changes.append),
        ]
        #expect(numbers.all == [1])
        mayExchange.fire()
        #expect(writer.wait())
        #expect(cache.isSettled())
        #expect(numbers.all == [1, 2])
        #expect(changes.all.map(\.updated.count) == [1])
        #expect(changes.all.first?.updated.first?.old?.number == 1)
        for token in tokens { token.dispose() }
        cache.core.checkInvariants()
    }
}

/// A value that runs a closure when the cache compares it.
private struct ComparingEntity: Identifiable, Equatable, Sendable {
    let id: Int
    var number: Int
    let onCompare: Locked<(@Sendable () -> Void)?>

    static func == (left: ComparingEntity, right: ComparingEntity) -> Bool {
        left.onCompare.withLock { $0 }?()
        return left.id == right.id && left.number == right.number
    }
}
