import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests which objects the cache retains, and for how long.
@Suite(.exclusive)
struct CacheLifetimeTests {
    @Test func handlesTokensAndValuesDontRetainTheCache() {
        weak var weakCache: Cache?
        let handle: Cached<Book>
        let observation: Disposable
        do {
            let cache = Cache()
            weakCache = cache
            cache.set(Book(id: 1, author: "le-guin"))
            handle = cache.cached(Book.self, id: 1)
            observation = cache.cached(Book.self, id: 1).observe { _ in }
        }
        #expect(weakCache == nil)
        withExtendedLifetime((handle, observation)) {}
    }

    @Test func valuesAreReleasedWithTheCacheDespiteHandles() {
        weak var weakReceipt: Receipt?
        var cache: Cache? = Cache()
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            cache?.set(Loan(id: 1, receipt: receipt))
        }
        let handle = cache?.cached(Loan.self, id: 1)
        #expect(handle?.value != nil)
        #expect(weakReceipt != nil)
        cache = nil
        #expect(weakReceipt == nil)
        #expect(handle?.value == nil)
    }

    @Test("A read ends although the comparison of its identifier releases the cache")
    func comparisonReleasesTheCache() {
        let holder = Locked<Cache?>(nil)
        let handle: Cached<Compared>
        let weakReceipt: Weak<Receipt>
        do {
            let cache = Cache()
            let receipt = Receipt()
            weakReceipt = Weak(receipt)
            cache.set(Compared(id: ComparedID(number: 1) {}, receipt: receipt))
            let id = ComparedID(number: 1) {
                let cache = holder.withLock { $0.take() }
                withExtendedLifetime(cache) {}
            }
            handle = cache.cached(Compared.self, id: id)
            holder.withLock { $0 = cache }
        }
        #expect(weakReceipt.object != nil)
        let reader = RunningThread { _ = handle.value }
        #expect(reader.wait())
        #expect(holder.withLock { $0 == nil })
        // The identifier is compared under a lock, so another thread empties the cache.
        #expect(blockUntil { weakReceipt.object == nil })
        #expect(handle.value == nil)
    }

    @Test func closuresAreReleasedWithTheCacheDespiteTokens() {
        weak var weakReceipt: Receipt?
        var cache: Cache? = Cache()
        let observation: Disposable?
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            observation = cache?.cached(Note.self, id: 1).observe { _ in
                withExtendedLifetime(receipt) {}
            }
        }
        #expect(weakReceipt != nil)
        cache = nil
        #expect(weakReceipt == nil)
        observation?.dispose()
    }

    @Test(arguments: [RelationshipDepth.allRelationships, .none, .levels(2)])
    func closureIsReleasedWhenItsObservationEnds(following: RelationshipDepth) {
        let cache = Cache()
        weak var weakReceipt: Receipt?
        let observation: Disposable
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            observation = cache.cached(Note.self, id: 1).following(following).observe { _ in
                withExtendedLifetime(receipt) {}
            }
        }
        cache.set(Note(id: 1, text: ""))
        #expect(weakReceipt != nil)
        observation.dispose()
        #expect(weakReceipt == nil)
    }

    @Test func closureIsReleasedWhenItsObservationEndsInABatch() {
        let cache = Cache()
        weak var weakReceipt: Receipt?
        let observation: Disposable
        do {
            let receipt = Receipt()
            weakReceipt = receipt
            observation = cache.cached(Note.self, id: 1).observe { _ in
                withExtendedLifetime(receipt) {}
            }
        }
        cache.performBatchUpdates { _ in observation.dispose() }
        #expect(weakReceipt == nil)
    }

    @Test func endedClosureIsReleasedUnderNoLock() {
        let cache = Cache()
        let receipt = Receipt { cache.set(Note(id: 1, text: "released")) }
        let observation = cache.cached(Note.self, id: 2).observe { _ in
            withExtendedLifetime(receipt) {}
        }
        _ = consume receipt
        observation.dispose()
        #expect(cache[Note.self, 1]?.text == "released")
    }

    @Test func valuesMayUseTheirCacheDuringItsRelease() {
        let isReleased = Signal()
        let handles = Locked<[Cached<Note>]>([])
        do {
            let cache = Cache()
            handles.withLock { $0.append(cache.cached(Note.self, id: 1)) }
            let receipt = Receipt {
                for handle in handles.withLock({ $0 }) { handle.value = Note(id: 1, text: "") }
                isReleased.fire()
            }
            cache.set(Loan(id: 1, receipt: receipt))
        }
        #expect(isReleased.isFired)
        #expect(handles.withLock { $0.first?.value } == nil)
    }

    @Test func commitsBeforeTheCacheIsReleasedAreStillDelivered() {
        let received = Recorder<String>()
        let holder = Locked<Cache?>(Cache())
        let observation = holder.withLock { cache in
            cache?.cached(Note.self, id: 1).observe { note in
                received.append(note.text)
                guard note.text == "A" else { return }
                let cache = holder.withLock { cache in
                    defer { cache = nil }
                    return cache
                }
                cache?.set(Note(id: 1, text: "B"))
            }
        }
        let cache = holder.withLock { $0 }
        cache?.set(Note(id: 1, text: "A"))
        #expect(received.all == ["A", "B"])
        observation?.dispose()
    }

    @Test func cacheMayBeReleasedInsideAnUpdateThroughAHandle() {
        let holder = Locked<Cache?>(Cache())
        let handle = holder.withLock { $0?.cached(Note.self, id: 1) }
        handle?.value = Note(id: 1, text: "A")
        let updated = handle?.update { note in
            holder.withLock { $0 = nil }
            #expect(handle?.value == nil, "The cache is released before its values.")
            note.text = "B"
        }
        #expect(updated?.text == "B")
        #expect(handle?.value == nil)
    }

    @Test func cachesAreCreatedAndReleasedOnSeveralThreads() {
        let ended = onThreads(3) { thread in
            for round in 0..<100 {
                let cache = Cache()
                let handle = cache.cached(Station.self, id: round)
                let observation = cache.cached(Station.self, id: round).observe { _ in }
                cache.set(contentsOf: Station.chain(round))
                let other = RunningThread { handle.value = Station(id: round, revision: thread) }
                observation.dispose()
                #expect(other.wait())
            }
        }
        #expect(ended)
    }

    @Test func writesOfAHandleDuringTheCachesReleaseAreDropped() {
        final class Content: Sendable {}
        struct Holder: Identifiable, Sendable {
            let id: Int
            let content: Content
        }
        for _ in 0..<300 {
            var cache: Cache? = Cache()
            let handle = cache?.cached(Holder.self, id: 1)
            let contents = (0..<20).map { _ in Content() }
            let writer = RunningThread { [contents] in
                for content in contents { handle?.value = Holder(id: 1, content: content) }
            }
            cache = nil
            #expect(writer.wait())
            #expect(handle?.value == nil)
            #expect(handle?.core.tables.existingTable(of: Holder.self)?.writtenValue(id: 1) == nil)
        }
    }

    @Test func writesToAClosedCoreStoreNothing() {
        // A handle can reach this state if it has found the cache just before its release.
        let core = Cache().core
        #expect(core.isClosed)
        for text in ["A", "B"] {
            _ = core.set(Note(id: 1, text: text))
            #expect(core.get(Note.self, id: 1) == nil)
        }
        _ = core.performBatchUpdates({ $0.set(Note(id: 2, text: "C")) }, completion: nil)
        #expect(core.get(Note.self, id: 2) == nil)
    }
}

/// An identifier whose comparisons call a closure.
private final class ComparedID: Hashable, Sendable {
    private let number: Int
    private let onComparison: @Sendable () -> Void

    init(number: Int, onComparison: @escaping @Sendable () -> Void) {
        self.number = number
        self.onComparison = onComparison
    }

    static func == (left: ComparedID, right: ComparedID) -> Bool {
        left.onComparison()
        right.onComparison()
        return left.number == right.number
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

private struct Compared: Identifiable, Sendable {
    let id: ComparedID
    let receipt: Receipt
}
