import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests that tokens, lists and aliases keep values from being evicted.
struct CachePinningTests {
    let cache: Cache

    init() {
        var configuration = CacheConfiguration()
        configuration.limit(Note.self, .count(2))
        cache = Cache(configuration: configuration)
    }

    private func note(_ id: Int) -> Note { Note(id: id, text: "") }

    private func setMany() {
        for id in 100..<120 { cache.set(note(id)) }
        cache.core.checkInvariants()
    }

    private func isThere(_ id: Int) -> Bool { cache.contains(Note.self, id: id) }

    @Test(arguments: [false, true])
    func evictionKeepsPinnedValuesUntilTheTokenIsReleased(isThroughAHandle: Bool) {
        let pin =
            isThroughAHandle
            ? cache.cached(Note.self, id: 1).pin() : cache.pin(Note.self, id: 1)
        // A pin may begin before the value is stored.
        cache.set(note(1))
        setMany()
        #expect(isThere(1))
        pin.dispose()
        setMany()
        #expect(!isThere(1))
    }

    @Test func severalPinsOfOneEntityCountSingly() {
        cache.set(note(1))
        let first = cache.pin(Note.self, id: 1)
        let second = cache.pin(Note.self, id: 1)
        first.dispose()
        first.dispose()
        setMany()
        #expect(isThere(1))
        second.dispose()
        setMany()
        #expect(!isThere(1))
    }

    @Test func releasingATokenUnpins() {
        cache.set(note(1))
        do {
            let pin = cache.pin(Note.self, id: 1)
            setMany()
            #expect(isThere(1))
            withExtendedLifetime(pin) {}
        }
        setMany()
        #expect(!isThere(1))
    }

    @Test func pinMayBeEndedInsideABatch() {
        cache.set(note(1))
        let pin = cache.pin(Note.self, id: 1)
        cache.performBatchUpdates { batch in
            pin.dispose()
            _ = batch.set(note(2))
        }
        setMany()
        #expect(!isThere(1))
    }

    @Test func pruningKeepsPinnedValues() {
        let cache = Cache()
        cache.set(contentsOf: [note(1), note(2)])
        let pin = cache.pin(Note.self, id: 1)
        #expect(cache.pruneUnobservedValues() == 1)
        #expect(cache.ids(of: Note.self) == [1])
        pin.dispose()
        #expect(cache.pruneUnobservedValues() == 1)
    }

    @Test func pinnedValuesCanBeRemoved() {
        let pin = cache.pin(Note.self, id: 1)
        cache.set(note(1))
        #expect(cache.remove(Note.self, id: 1) != nil)
        #expect(!isThere(1))
        cache.set(note(1))
        setMany()
        #expect(isThere(1))
        pin.dispose()
    }

    @Test func pinMayOutliveItsCache() {
        var cache: Cache? = Cache()
        let pin = cache?.pin(Note.self, id: 1)
        let handle = cache?.cached(Note.self, id: 1)
        cache = nil
        let late = handle?.pin()
        pin?.dispose()
        late?.dispose()
    }

    // MARK: Lists

    @Test func listPinsItsElements() {
        let list = cache.list("pinned", of: Note.self)
        list.replace(with: [note(1), note(2), note(3)])
        setMany()
        #expect(list.elements.map(\.id) == [1, 2, 3])
        list.remove(2)
        setMany()
        #expect(!isThere(2))
        #expect(list.elements.map(\.id) == [1, 3])
        list.ids = []
        setMany()
        #expect(!isThere(1))
    }

    @Test func listWithoutPinningDoesntPin() {
        let list = cache.list("loose", of: Note.self, pinsElements: false)
        list.replace(with: [note(1), note(2)])
        setMany()
        #expect(list.ids == [1, 2])
        #expect(list.elements.isEmpty)
        // A write through a handle that pins turns the list into a pinning one.
        cache.list("loose", of: Note.self).append(contentsOf: [note(3)])
        cache.set(note(1))
        setMany()
        #expect(list.elements.map(\.id) == [1, 3])
    }

    @Test func elementOfTwoListsStaysWithEither() {
        let first = cache.list("first", of: Note.self)
        let second = cache.list("second", of: Note.self)
        first.replace(with: [note(1)])
        second.ids = [1]
        first.ids = []
        setMany()
        #expect(isThere(1))
        cache.removeAll(ListState<Note>.self)
        setMany()
        #expect(!isThere(1))
    }

    @Test func rolledBackListPinsNothing() {
        struct Failure: Error {}
        let list = cache.list("pinned", of: Note.self)
        list.replace(with: [note(1)])
        try? cache.performBatchUpdates { _ in
            list.replace(with: [note(2)])
            throw Failure()
        }
        cache.set(note(2))
        setMany()
        #expect(isThere(1))
        #expect(!isThere(2))
    }

    @Test func elementsArePinnedByTheCommitThatAddsThem() {
        cache.performBatchUpdates { batch in
            for id in 1...10 { batch.set(note(id)) }
            cache.list("page", of: Note.self).ids = Array(1...10)
        }
        #expect(cache.count(of: Note.self) == 10)
    }

    // MARK: Aliases

    @Test func aliasPinsItsTarget() {
        let alias = cache.alias("open", of: Note.self)
        alias.set(note(1))
        setMany()
        #expect(alias.value?.id == 1)
        alias.target = 2
        cache.set(note(2))
        setMany()
        #expect(alias.value?.id == 2)
        #expect(!isThere(1))
        alias.target = nil
        setMany()
        #expect(!isThere(2))
    }

    @Test func aliasWithoutPinningDoesntPin() {
        let alias = cache.alias("open", of: Note.self, pinsTarget: false)
        alias.set(note(1))
        setMany()
        #expect(alias.value == nil)
        #expect(alias.target == 1)
    }
}
