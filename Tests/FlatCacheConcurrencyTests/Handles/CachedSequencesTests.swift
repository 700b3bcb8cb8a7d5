import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the sequence of an entity's values.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct CachedSequencesTests {
    let cache = Cache()
    let book: Cached<Book>

    init() {
        book = cache.cached(Book.self, id: 1)
    }

    @Test func currentValueIsFirst() async {
        cache.set(Book(id: 1, title: "A"))
        cache.set(Book(id: 1, title: "B"))
        var iterator = book.values.makeAsyncIterator()
        let values = await iterator.next(1)
        #expect(values.map { $0?.title } == ["B"])
    }

    @Test func nilIsFirstForAMissingEntity() async {
        var iterator = book.values.makeAsyncIterator()
        let values = await iterator.next(1)
        #expect(values == [nil])
    }

    @Test func currentValueIsThatOfWhenTheIteratorWasMade() async {
        let sequence = book.values
        cache.set(Book(id: 1, title: "A"))
        let consumer = await Consumer.begun(sequence)
        #expect(await consumer.elements(1).map { $0?.title } == ["A"])
    }

    @Test func iteratorMadeByAnObserverBeginsWithTheStoredValue() async {
        let iterators = Locked<[CacheSequence<Book?>.Iterator]>([])
        let observation = cache.cached(Book.self, id: 1).observe { [book] _ in
            iterators.withLock { $0.append(book.values.makeAsyncIterator()) }
        }
        cache.set(Book(id: 1, title: "A"))
        observation.dispose()
        #expect(iterators.withLock { $0.count } == 1)
        for var iterator in iterators.withLock({ $0 }) {
            let first = await iterator.next(1)
            cache.set(Book(id: 1, title: "B"))
            let second = await iterator.next(1)
            #expect((first + second).map { $0?.title } == ["A", "B"])
        }
    }

    @Test func iteratorMadeInABatchReceivesItsResult() async {
        var (values, changes) = cache.performBatchUpdates { batch in
            batch.set(Book(id: 1, title: "A"))
            let values = book.values.makeAsyncIterator()
            let changes = book.changes.makeAsyncIterator()
            batch.set(Book(id: 1, title: "B"))
            return (values, changes)
        }
        let newest = await values.next(1)
        let change = await changes.next(1)
        #expect(newest.map { $0?.title } == ["B"])
        #expect(change.map(\.new?.title) == ["B"])
        #expect(change.map(\.kind) == [.inserted])
    }

    @Test func iteratorThatABatchMakesBeginsWithTheStateBeforeIt() async {
        struct Refusal: Error {}
        cache.set(Book(id: 1, title: "A"))
        var iterators: [CacheSequence<Book?>.Iterator] = []
        try? cache.performBatchUpdates { batch in
            batch.set(Book(id: 1, title: "B"))
            iterators.append(book.values.makeAsyncIterator())
            throw Refusal()
        }
        for var iterator in iterators {
            let values = await iterator.next(1)
            #expect(values.map { $0?.title } == ["A"])
        }
    }

    @Test func eachCommitSendsAValue() async {
        var iterator = book.values.makeAsyncIterator()
        var titles = await iterator.next(1).map { $0?.title }
        for title in ["A", "B", "C"] {
            cache.set(Book(id: 1, title: title))
            titles += await iterator.next(1).map { $0?.title }
        }
        #expect(titles == [nil, "A", "B", "C"])
    }

    @Test func removalSendsNilAndALaterWriteAValue() async {
        cache.set(Book(id: 1, title: "A"))
        var iterator = book.values.makeAsyncIterator()
        var titles = await iterator.next(1).map { $0?.title }
        cache.remove(Book.self, id: 1)
        titles += await iterator.next(1).map { $0?.title }
        book.value = Book(id: 1, title: "B")
        titles += await iterator.next(1).map { $0?.title }
        cache.removeAll()
        titles += await iterator.next(1).map { $0?.title }
        #expect(titles == ["A", nil, "B", nil])
    }

    @Test func slowConsumerReceivesTheNewest() async {
        cache.set(Book(id: 1, title: "A"))
        var iterator = book.values.makeAsyncIterator()
        for title in ["B", "C", "D"] { cache.set(Book(id: 1, title: title)) }
        var titles = await iterator.next(1).map { $0?.title }
        for title in ["E", "F"] { cache.set(Book(id: 1, title: title)) }
        titles += await iterator.next(1).map { $0?.title }
        #expect(titles == ["D", "F"])
    }

    @Test func slowConsumerThatWasWaitingGetsTheFirstAndThenTheNewest() async {
        let consumer = await Consumer.begun(book.values)
        #expect(await consumer.elements(1) == [nil])
        for title in ["A", "B", "C"] { cache.set(Book(id: 1, title: title)) }
        #expect(await consumer.elements(3).map { $0?.title } == [nil, "A", "C"])
    }

    @Test func slowConsumerMayMissARemoval() async {
        cache.set(Book(id: 1, title: "A"))
        var iterator = book.values.makeAsyncIterator()
        cache.remove(Book.self, id: 1)
        cache.set(Book(id: 1, title: "B"))
        let values = await iterator.next(1)
        #expect(values.map { $0?.title } == ["B"])
    }

    @Test func batchGivesOneValue() async {
        cache.set(Book(id: 1, title: "A", author: "le-guin"))
        let consumer = await Consumer.begun(book.values)
        #expect(await consumer.elements(1).count == 1)
        cache.performBatchUpdates { batch in
            batch.remove(Book.self, id: 1)
            batch.set(Author(id: "le-guin", name: "Ursula K. Le Guin"))
            batch.set(Book(id: 1, title: "B", author: "le-guin"))
            batch.set(Book(id: 1, title: "C"))
        }
        #expect(await consumer.elements(2).map { $0?.title } == ["A", "C"])
        cache.set(Book(id: 1, title: "D"))
        #expect(await consumer.elements(3).map { $0?.title } == ["A", "C", "D"])
    }

    @Test func unchangedCommitsGiveNoValue() async {
        struct Refusal: Error {}
        cache.set(Book(id: 1, title: "A"))
        let consumer = await Consumer.begun(book.values)
        #expect(await consumer.elements(1).count == 1)
        cache.set(Book(id: 1, title: "A"))
        cache.set(Book(id: 2, title: "B"))
        cache.performBatchUpdates { batch in
            batch.remove(Book.self, id: 1)
            batch.set(Book(id: 1, title: "A"))
        }
        try? cache.performBatchUpdates { batch in
            batch.set(Book(id: 1, title: "C"))
            throw Refusal()
        }
        cache.set(Book(id: 1, title: "D"))
        #expect(await consumer.elements(2).map { $0?.title } == ["A", "D"])
    }
}
