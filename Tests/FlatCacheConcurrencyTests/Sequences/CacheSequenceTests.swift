import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests the behaviour that all sequences of a cache share.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct CacheSequenceTests {
    let cache = Cache()

    @Test func itHasNoErrorType() async {
        cache.set(Note(id: 1, text: "A"))
        func first<Element>(_ sequence: some AsyncSequence<Element, Never>) async -> Element? {
            for await element in sequence { return element }
            return nil
        }
        let note = await first(cache.cached(Note.self, id: 1).values)
        #expect(note??.text == "A")
    }

    @Test func iteratorObservesDuringItsLifetime() {
        let sequence = cache.cached(Note.self, id: 1).values
        #expect(cache.core.watchedCount == 0)
        var iterators = [sequence.makeAsyncIterator()]
        #expect(cache.core.watchedCount == 1)
        iterators.append(sequence.makeAsyncIterator())
        iterators.removeFirst()
        #expect(cache.core.watchedCount == 1)
        iterators = []
        #expect(cache.core.watchedCount == 0)
    }

    @Test func iteratorsOfOneSequenceAreIndependent() async {
        let sequence = cache.cached(Note.self, id: 1).changes
        var early = sequence.makeAsyncIterator()
        cache.set(Note(id: 1, text: "A"))
        var late = sequence.makeAsyncIterator()
        cache.set(Note(id: 1, text: "B"))
        let earlyChanges = await early.next(2)
        let lateChanges = await late.next(1)
        #expect(earlyChanges.map(\.new?.text) == ["A", "B"])
        #expect(lateChanges.map(\.new?.text) == ["B"])
    }

    @Test func consumersOfOneSequenceEndSeparately() async {
        let sequence = cache.cached(Note.self, id: 1).changes
        let first = await Consumer.begun(sequence)
        let second = await Consumer.begun(sequence)
        first.cancel()
        #expect(await first.end())
        cache.set(Note(id: 1, text: "A"))
        let changes = await second.elements(1)
        #expect(changes.map(\.new?.text) == ["A"])
        #expect(first.elements.isEmpty)
    }

    @Test func leavingTheLoopEndsTheObservation() async {
        cache.set(Note(id: 1, text: "A"))
        for await note in cache.cached(Note.self, id: 1).values {
            #expect(note?.text == "A")
            #expect(cache.core.watchedCount == 1)
            break
        }
        #expect(cache.core.watchedCount == 0)
    }

    @Test func throwingOutOfTheLoopEndsTheObservation() async {
        struct Refusal: Error {}
        func refuse() async throws {
            for await _ in cache.cached(Note.self, id: 1).values { throw Refusal() }
        }
        await #expect(throws: Refusal.self) { try await refuse() }
        #expect(cache.core.watchedCount == 0)
    }

    @Test func endedIteratorStaysEnded() async {
        var cache: Cache? = Cache()
        var iterator = cache?.cached(Note.self, id: 1).values.makeAsyncIterator()
        cache = nil
        let elements = await iterator?.next(1)
        #expect(elements?.map { $0?.text } == [nil], "The stored value precedes the end.")
        for _ in 0..<3 {
            let next = await iterator?.next(isolation: #isolation)
            #expect(next == nil)
        }
    }

    @Test func loopReceivesItsOwnWrites() async {
        var revisions: [Int?] = []
        for await station in cache.cached(Station.self, id: 1).values {
            revisions.append(station?.revision)
            if station?.revision == 500 { break }
            cache.set(Station(id: 1, revision: (station?.revision ?? 0) + 1))
            #expect(cache[Station.self, 1] != station, "The write commits immediately.")
        }
        #expect(revisions == [nil] + Array(1...500))
    }

    @Test func loopReceivesItsOwnBatches() async {
        var kinds: [EntityChange<Station>.Kind] = []
        cache.set(Station(id: 1))
        var iterator = cache.changes(of: Station.self).makeAsyncIterator()
        cache.touch(1)
        while kinds.count < 6, let change = await iterator.next(isolation: #isolation) {
            kinds.append(change.kind)
            cache.performBatchUpdates { batch in
                batch.removeAll(Station.self)
                if change.kind == .removed(.explicit) { batch.set(Station(id: change.id + 1)) }
            }
        }
        #expect(
            kinds == [
                .updated, .removed(.explicit), .inserted, .removed(.explicit), .inserted,
                .removed(.explicit),
            ]
        )
    }
}
