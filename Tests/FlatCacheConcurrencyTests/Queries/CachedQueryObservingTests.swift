import Observation
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive)
struct CachedQueryObservingTests {
    let cache = Cache()
    let query: CachedQuery<Book>
    let calls = Recorder<[Int]>()

    init() {
        query = cache.query(Book.self).where { ($0.year ?? 0) > 1900 }.sorted(by: \.year)
        cache.set(contentsOf: [Book(id: 1, year: 1968), Book(id: 2, year: 1974), Book(id: 3)])
    }

    private func observe(initial: Bool = false) -> Disposable {
        query.observe(initial: initial) { [calls] in calls.append($0.map(\.id)) }
    }

    /// Returns the calls that a change causes.
    private func calls(of change: () throws -> Void) rethrows -> [[Int]] {
        calls.removeAll()
        try change()
        cache.core.checkInvariants()
        return calls.all
    }

    @Test("The initial call has the present elements, and there is only one")
    func initialCall() {
        let observation = observe(initial: true)
        #expect(calls.all == [[1, 2]])
        let other = cache.query(Note.self).observe(initial: true) { [calls] _ in calls.append([]) }
        #expect(calls.all == [[1, 2], []])
        withExtendedLifetime((observation, other)) {}
    }

    @Test("One commit causes one call, and none if neither the rows nor their order change")
    func oneCallPerCommit() throws {
        let observation = observe()
        #expect(calls { cache.set(Book(id: 4, year: 1970)) } == [[1, 4, 2]])
        #expect(calls { cache.replace(Book(id: 1, year: 1999)) } == [[4, 2, 1]])
        #expect(calls { cache.set(Book(id: 2, title: "A")) } == [[4, 2, 1]])
        #expect(calls { cache.set(Book(id: 2, title: "A")) } == [])
        #expect(calls { cache.set(Book(id: 3, title: "B")) } == [])
        #expect(calls { cache.set(Author(id: "lem", name: "Lem")) } == [])
        #expect(
            calls {
                cache.performBatchUpdates { batch in
                    batch.set(Book(id: 5, year: 2001))
                    batch.replace(Book(id: 5, year: 1901))
                    batch.remove(Book.self, id: 4)
                }
            } == [[5, 2, 1]]
        )
        #expect(
            calls {
                cache.performBatchUpdates { batch in
                    batch.remove(Book.self, id: 5)
                    batch.set(Book(id: 5, year: 1901))
                }
            } == []
        )
        #expect(
            try calls {
                try #require(throws: CancellationError.self) {
                    try cache.performBatchUpdates { batch in
                        batch.removeAll()
                        throw CancellationError()
                    }
                }
            } == []
        )
        observation.dispose()
        #expect(calls { cache.removeAll() } == [])
    }

    @Test("A change of a joined entity that changes no row causes no call")
    func silentJoins() {
        let joined = cache.query(Book.self)
            .where { book, cache in book.author.flatMap { cache[$0] } != nil }
            .sorted { book, cache in book.author.flatMap { cache[$0] }?.name.count }
        cache.set(contentsOf: [Author(id: "a", name: "A"), Author(id: "b", name: "BBB")])
        cache.set(contentsOf: [Book(id: 1, author: "a"), Book(id: 2, author: "b")])
        let observation = joined.observe { [calls] in calls.append($0.map(\.id)) }
        #expect(calls { cache.set(Author(id: "a", name: "AA")) } == [])
        #expect(calls { cache.set(Author(id: "b", name: "")) } == [[2, 1]])
        #expect(calls { cache.remove(Author.self, id: "b") } == [[1]])
        #expect(calls { cache.set(Author(id: "b", name: "B")) } == [[2, 1]])
        #expect(calls { cache.set(Author(id: "c", name: "")) } == [])
        withExtendedLifetime(observation) {}
    }

    @Test("The result changes at the same instant as its rows")
    func oneInstant() {
        let states = Recorder<[Int]>()
        let token = query.keepCurrent()
        // An observer of a row, registered before and after the query's observation, reads both.
        let read = { @Sendable [query] in states.append(query.ids) }
        let first = cache.cached(Book.self, id: 1).observe { _ in read() }
        let observation = observe()
        let last = cache.cached(Book.self, id: 1).observe { _ in read() }
        cache.replace(Book(id: 1, year: 1980))
        #expect(states.all == [[2, 1], [2, 1]])
        withExtendedLifetime((token, first, observation, last)) {}
    }

    @Test("A query that begins in a batch counts from the state before it")
    func beginningInABatch() {
        let observation = Recorder<Disposable>()
        cache.performBatchUpdates { batch in
            batch.set(Book(id: 4, year: 1960))
            observation.append(observe())
            #expect(query.ids == [1, 2])
            #expect(query.ids(in: batch) == [4, 1, 2])
            batch.set(Book(id: 5, year: 1950))
            #expect(query.ids(in: batch) == [5, 4, 1, 2])
        }
        #expect(calls.all == [[5, 4, 1, 2]])
        cache.core.checkInvariants()
        #expect(calls { cache.remove(Book.self, id: 5) } == [[4, 1, 2]])
    }

    @Test("A query that begins during another thread's batch doesn't wait for it")
    func beginningDuringABatch() {
        let gate = Gate()
        let writer = RunningThread { [cache] in
            cache.performBatchUpdates { batch in
                batch.set(Book(id: 4, year: 1960))
                gate.pass()
                batch.set(Book(id: 5, year: 1950))
            }
        }
        #expect(blockUntil { gate.isReached })
        let observation = observe()
        #expect(query.ids == [1, 2])
        gate.open()
        #expect(writer.wait())
        #expect(cache.isSettled())
        #expect(calls.all == [[5, 4, 1, 2]])
        #expect(query.ids == [5, 4, 1, 2])
        cache.core.checkInvariants()
        #expect(calls { cache.set(Book(id: 6, year: 1940)) } == [[6, 5, 4, 1, 2]])
        withExtendedLifetime(observation) {}
    }

    @Test("The commits during the first run become one change")
    func commitsDuringTheFirstRun() {
        let gate = Gate()
        let slow = cache.query(Book.self).where { book in
            gate.pass()
            return book.year != nil
        }
        let changes = Recorder<[Int]>()
        let token = Recorder<Disposable>()
        let reader = RunningThread {
            token.append(slow.observeChanges { changes.append($0.ids) })
        }
        #expect(blockUntil { gate.isReached })
        cache.set(Book(id: 4, year: 1960))
        cache.set(Book(id: 5, year: 1950))
        cache.remove(Book.self, id: 1)
        gate.open()
        #expect(reader.wait())
        #expect(slow.ids == [2, 4, 5])
        cache.core.checkInvariants()
        cache.set(Book(id: 6, year: 1940))
        #expect(changes.all == [[2, 4, 5, 6]])
        #expect(slow.ids == [2, 4, 5, 6])
    }

    @Test("Moves can be inferred from a difference")
    func moves() throws {
        let changes = Recorder<QueryChange<Book>>()
        let observation = query.observeChanges { changes.append($0) }
        cache.replace(Book(id: 1, year: 1999))
        let change = try #require(changes.all.last)
        let moves = change.difference.inferringMoves()
        #expect(moves.count == 2)
        for move in moves {
            guard case .insert(_, 1, .some) = move else {
                guard case .remove(_, 1, .some) = move else {
                    Issue.record("\(move)")
                    return
                }
                continue
            }
        }
        #expect(change.changedIDs == [1])
        withExtendedLifetime(observation) {}
    }

    @Test("Sequences begin with the present elements and follow the commits")
    func sequences() async {
        var values = query.values.makeAsyncIterator()
        var changes = query.changes.makeAsyncIterator()
        #expect(await values.next()?.map(\.id) == [1, 2])
        cache.set(Book(id: 3, year: 1970))
        #expect(await values.next()?.map(\.id) == [1, 3, 2])
        #expect(await changes.next()?.ids == [1, 3, 2])
    }

    @MainActor
    @Test("The observing methods with an isolation call on the actor")
    func isolation() async {
        let signal = Recorder<[Int]>()
        let count = Locked(0)
        let observations = [
            query.observe(isolation: #isolation, initial: true) { books in
                MainActor.preconditionIsolated()
                count.withLock { $0 += books.count }
            },
            query.observeChanges(isolation: #isolation) { change in
                MainActor.preconditionIsolated()
                signal.append(change.ids)
            },
        ]
        #expect(await until { count.withLock { $0 } >= 2 })
        cache.set(Book(id: 3, year: 1970))
        #expect(await until { signal.count >= 1 && count.withLock { $0 } >= 5 })
        #expect(signal.all == [[1, 3, 2]])
        #expect(count.withLock { $0 } == 5)
        withExtendedLifetime(observations) {}
    }

    @Test("An element whose freshness alone has changed isn't a changed element")
    func freshness() {
        let changes = Recorder<Set<Int>>()
        let observations = [observe(), query.observeChanges { changes.append($0.changedIDs) }]
        cache.invalidate(Book.self, id: 1)
        cache.set(Book(id: 1, year: 1968))
        #expect(calls.all == [])
        cache.invalidate(Book.self)
        cache.performBatchUpdates { batch in
            batch.set(Book(id: 1, year: 1968))
            batch.set(Book(id: 2, title: "B"))
        }
        #expect(calls.all == [[1, 2]])
        #expect(changes.all == [[2]])
        withExtendedLifetime(observations) {}
    }

    @Test("An observable result notifies its trackers of the next change")
    func observable() {
        let observable = Observed(query, delivery: .inline)
        let notices = Recorder<Int>()
        withObservationTracking {
            #expect(observable.ids == [1, 2])
            #expect(observable.elements.map(\.id) == [1, 2])
            #expect(observable[1...].map(\.id) == [2])
            #expect(observable.count == 2)
        } onChange: {
            notices.append(1)
        }
        cache.set(Book(id: 3, title: "A"))
        #expect(notices.count == 0)
        cache.set(Book(id: 3, year: 1970))
        #expect(notices.count == 1)
        #expect(observable.ids == [1, 3, 2])
        withObservationTracking {
            #expect(observable.read { $0.index(ofID: 3) } == 1)
            #expect(observable.read { $0.index(ofID: 4) } == nil)
        } onChange: {
            notices.append(2)
        }
        cache.set(Book(id: 3, year: 1950))
        #expect(notices.all == [1, 2])
        #expect(observable.read { $0.index(ofID: 3) } == 0)
    }
}
