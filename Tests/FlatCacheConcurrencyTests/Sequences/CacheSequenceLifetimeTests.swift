import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests which objects a sequence retains, and its end when the cache is released.
@MainActor
@Suite(.exclusive, .timeLimit(.minutes(15)))
struct CacheSequenceLifetimeTests {
    @Test func suspendedConsumerDoesNotKeepTheCacheAndEndsWithIt() async {
        weak var weakCache: Cache?
        let consumers: [Consumer<Note?>]
        do {
            let cache = Cache()
            weakCache = cache
            cache.set(Note(id: 1, text: "A"))
            let handle = cache.cached(Note.self, id: 1)
            consumers = [
                await Consumer.begun(cache.cached(Note.self, id: 1).values),
                await Consumer.begun(handle.following(.none).values),
                await Consumer.begun(handle.following(.levels(2)).values),
            ]
            for consumer in consumers { #expect(await consumer.elements(1).count == 1) }
        }
        #expect(weakCache == nil)
        for consumer in consumers {
            #expect(await consumer.end())
            #expect(
                consumer.elements.map { $0?.text } == ["A"],
                "The consumer doesn't receive a removal."
            )
        }
    }

    @Test func suspendedConsumerOfATypeDoesNotKeepTheCacheAndEndsWithIt() async {
        weak var weakCache: Cache?
        let consumer: Consumer<EntityChange<Note>>
        do {
            let cache = Cache()
            weakCache = cache
            consumer = await Consumer.begun(cache.changes(of: Note.self))
            cache.set(Note(id: 1, text: "A"))
        }
        #expect(weakCache == nil)
        #expect(await consumer.end())
        #expect(consumer.elements.map(\.new?.text) == ["A"])
    }

    @Test func sequencesAndIteratorsDoNotKeepTheCache() {
        weak var weakCache: Cache?
        weak var weakCore: CacheCore?
        do {
            let values: CacheSequence<Note?>
            let changes: CacheSequence<EntityChange<Note>>
            let ofType: CacheSequence<EntityChange<Note>>
            do {
                let cache = Cache()
                weakCache = cache
                weakCore = cache.core
                values = cache.cached(Note.self, id: 1).values
                changes = cache.cached(Note.self, id: 1).changes
                ofType = cache.changes(of: Note.self)
                cache.set(Note(id: 1, text: "A"))
            }
            #expect(weakCache == nil)
            let iterators = (values.makeAsyncIterator(), changes.makeAsyncIterator())
            withExtendedLifetime((iterators, ofType.makeAsyncIterator())) {}
        }
        #expect(weakCore == nil, "No reference cycle retains the core.")
    }

    @Test func iteratorDoesNotRetainTheCoreAfterItsRelease() async {
        weak var weakCore: CacheCore?
        do {
            let cache = Cache()
            weakCore = cache.core
            cache.set(Note(id: 1, text: "A"))
            var iterator = cache.cached(Note.self, id: 1).values.makeAsyncIterator()
            let values = await iterator.next(1)
            #expect(values.map { $0?.text } == ["A"])
        }
        #expect(weakCore == nil)
    }

    @Test func commitsBeforeTheReleasePrecedeTheEnd() async {
        var cache: Cache? = Cache()
        var values = cache?.cached(Station.self, id: 1).values.makeAsyncIterator()
        var changes = cache?.changes(of: Station.self).makeAsyncIterator()
        for revision in 1...3 { cache?.set(Station(id: 1, revision: revision)) }
        cache = nil
        let lastValues = await values?.next(9)
        let allChanges = await changes?.next(9)
        #expect(lastValues?.map { $0?.revision } == [3])
        #expect(allChanges?.map { $0.new?.revision } == [1, 2, 3])
    }

    @Test func commitsDuringTheReleasePrecedeTheEnd() async {
        let holder = Locked<Cache?>(Cache())
        let takeCache: @Sendable () -> Cache? = { holder.withLock { $0.take() } }
        let observation = holder.withLock { cache in
            cache?.cached(Station.self, id: 1).observe { _ in takeCache()?.touch(1) }
        }
        var iterator = holder.withLock {
            $0?.cached(Station.self, id: 1).changes.makeAsyncIterator()
        }
        holder.withLock { $0 }?.set(Station(id: 1))
        #expect(holder.withLock { $0 } == nil)
        let changes = await iterator?.next(9)
        #expect(changes?.map { $0.new?.revision } == [0, 1])
        observation?.dispose()
    }

    @Test func cacheMayBeReleasedInsideTheLoop() async {
        var cache: Cache? = Cache()
        cache?.set(Station(id: 1))
        var revisions: [Int?] = []
        if let values = cache?.cached(Station.self, id: 1).values {
            for await station in values {
                revisions.append(station?.revision)
                cache?.touch(1)
                if station?.revision == 2 { cache = nil }
            }
        }
        #expect(revisions == [0, 1, 2, 3])
    }

    @Test func sequenceOfAReleasedCacheEndsAtOnce() async {
        var cache: Cache? = Cache()
        cache?.set(Note(id: 1, text: "A"))
        let handle = cache?.cached(Note.self, id: 1)
        let ofType = cache?.changes(of: Note.self)
        cache = nil
        for following in [RelationshipDepth.allRelationships, .none, .levels(1)] {
            var values = handle?.following(following).values.makeAsyncIterator()
            var changes = handle?.following(following).changes.makeAsyncIterator()
            let allValues = await values?.next(1)
            let allChanges = await changes?.next(1)
            #expect(allValues?.isEmpty == true)
            #expect(allChanges?.isEmpty == true)
        }
        var iterator = ofType?.makeAsyncIterator()
        let changes = await iterator?.next(1)
        #expect(changes?.isEmpty == true)
    }

    @Test func consumersEndWhenTheirCacheIsReleasedOnAnotherThread() async {
        for round in 0..<200 {
            let final = 1 + round % 7
            let holder = Locked<Cache?>(Cache())
            let values = holder.withLock { $0?.cached(Station.self, id: 1).values }
            let changes = holder.withLock { $0?.changes(of: Station.self) }
            let thread = RunningThread {
                let cache = holder.withLock { $0.take() }
                for revision in 1...final {
                    cache?.set(Station(id: 1, revision: revision))
                }
            }
            let consumer = Task.detached {
                var last: Int?
                if let values {
                    for await case let station? in values { last = station.revision }
                }
                return last
            }
            var revisions: [Int?] = []
            if let changes {
                for await change in changes { revisions.append(change.new?.revision) }
            }
            let last = await consumer.value
            #expect(
                last == nil || last == final,
                "A consumer begins too late or receives the last value."
            )
            #expect(revisions.isEmpty || revisions.last == final)
            #expect(thread.wait())
        }
    }
}
