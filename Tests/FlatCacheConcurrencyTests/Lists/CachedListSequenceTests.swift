import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

@Suite(.exclusive, .timeLimit(.minutes(15)))
struct CachedListSequenceTests {
    let cache = Cache()
    let list: CachedList<Book>

    init() {
        list = cache.list("list", of: Book.self)
        list.replace(with: [Book(id: 1), Book(id: 2)])
    }

    @Test func currentElementsAreFirst() async {
        var values = list.values.makeAsyncIterator()
        #expect(await values.next()?.map(\.id) == [1, 2])
        var ofNothing = cache.list("nothing", of: Book.self).values.makeAsyncIterator()
        #expect(await ofNothing.next() == [])
    }

    @Test func eachChangeOfOrderElementAndRelationshipFollows() async {
        cache.set(Book(id: 2, author: "le-guin"))
        var values = list.values.makeAsyncIterator()
        _ = await values.next()
        list.move(2, to: 0)
        #expect(await values.next()?.map(\.id) == [2, 1])
        cache.set(Book(id: 1, title: "A"))
        #expect(await values.next()?.map(\.title) == [nil, "A"])
        cache.set(Author(id: "le-guin", name: ""))
        #expect(await values.next()?.map(\.id) == [2, 1])
        cache.removeAll()
        #expect(await values.next() == [])
    }

    @Test func slowConsumerReceivesTheNewest() async {
        var values = list.values.makeAsyncIterator()
        for id in 3...50 { list.append(contentsOf: [Book(id: id)]) }
        #expect(await values.next()?.count == 50)
        list.removeAll()
        list.ids = [7]
        #expect(await values.next()?.map(\.id) == [7])
    }

    @Test func consumerThatWaitsIsWoken() async {
        let counts = Recorder<Int>()
        let hasBegun = Signal()
        let values = list.values
        let consumer = Task {
            for await elements in values {
                counts.append(elements.count)
                hasBegun.fire()
                if elements.isEmpty { return }
            }
        }
        _ = await until { hasBegun.isFired }
        list.removeAll()
        await consumer.valueUnlessCancelled
        #expect(counts.all.first == 2)
        #expect(counts.all.last == 0)
        #expect(cache.core.watchedCount == 0)
    }

    @Test func consumerBesideWritersNeverGetsAnOlderStateAfterANewerOne() async {
        let list = list
        list.ids = []
        let lengths = Recorder<Int>()
        let values = list.values
        let consumer = Task {
            for await elements in values {
                lengths.append(elements.count)
                if elements.count == 400 { return }
            }
        }
        let writers = Task.detached {
            onThreads(2) { thread in
                for number in 0..<200 { list.append(contentsOf: [Book(id: number * 2 + thread)]) }
            }
        }
        #expect(await writers.value)
        await consumer.valueUnlessCancelled
        #expect(lengths.all == lengths.all.sorted())
        #expect(lengths.all.last == 400)
    }

    @Test func severalIterationsAreIndependent() async {
        let values = list.values
        var first = values.makeAsyncIterator()
        _ = await first.next()
        list.removeAll()
        var second = values.makeAsyncIterator()
        #expect(await second.next() == [])
        #expect(await first.next() == [])
    }

    @Test func changesAreInCommitOrder() async {
        var changes = list.changes.makeAsyncIterator()
        for id in 3...50 { list.append(contentsOf: [Book(id: id)]) }
        cache.set(Book(id: 1, title: "A"))
        var order = [1, 2]
        for id in 3...50 {
            let change = await changes.next()
            #expect(change?.ids.last == id)
            order = change.flatMap { order.applying($0.difference) } ?? []
        }
        #expect(order == list.ids)
        #expect(await changes.next()?.changedIDs == [1])
    }

    @Test func sequencesEndWithTheCacheAfterAllCommits() async {
        var cache: Cache? = Cache()
        let list = cache?.list("list", of: Book.self)
        var values = list?.values.makeAsyncIterator()
        var changes = list?.changes.makeAsyncIterator()
        list?.replace(with: [Book(id: 1)])
        cache = nil
        // The elements were released with the cache, so there are no values to collect. The pending
        // change is still delivered.
        #expect(await values?.next() == nil)
        #expect(await changes?.next()?.ids == [1])
        #expect(await changes?.next() == nil)
        var afterwards = list?.values.makeAsyncIterator()
        #expect(await afterwards?.next() == nil)
    }

    @Test func waitingConsumerEndsWithTheCache() async {
        let holder = Locked<Cache?>(Cache())
        let hasBegun = Signal()
        let values = holder.withLock { $0?.list("list", of: Book.self).values }
        let consumer = Task {
            guard let values else { return 0 }
            var count = 0
            for await _ in values {
                count += 1
                hasBegun.fire()
            }
            return count
        }
        _ = await until { hasBegun.isFired }
        let last = holder.withLock { $0.take() }
        _ = consume last
        #expect(await consumer.valueUnlessCancelled == 1)
    }

    /// On the main actor, as here, the consumers are suspended whenever the test runs.
    @MainActor
    @Test func cancellingEndsTheObservationAtOnce() async {
        let hasBegun = Signal()
        let values = list.values
        let changes = list.changes
        let consumers = [
            Task {
                for await _ in values { hasBegun.fire() }
            },
            Task {
                for await _ in changes {}
            },
        ]
        // The observers are those of the two consumers.
        #expect(await until { hasBegun.isFired && observerCount >= 2 })
        for consumer in consumers { consumer.cancel() }
        #expect(cache.core.watchedCount == 0)
        for consumer in consumers { await consumer.valueUnlessCancelled }
    }

    private var observerCount: Int {
        cache.core.withWriterLock("observerCount") { $0.graph.allEntityObservers.count }
    }

    @Test func leavingTheLoopEndsTheObservation() async {
        for await elements in list.values {
            #expect(elements.count == 2)
            #expect(cache.core.watchedCount == 3)
            break
        }
        #expect(cache.core.watchedCount == 0)
    }
}
