import Synchronization
import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests observers that register during another thread's commit.
@Suite(.exclusive)
struct WaitingObserverTests {
    /// A place where a thread waits until another one lets it continue.
    private final class Gate: Sendable {
        let core: CacheCore
        private let isOpen = Atomic<Bool>(false)
        private let hasArrival = Atomic<Bool>(false)

        init(_ core: CacheCore) { self.core = core }

        /// Waits if a registration is waiting, the first time.
        func pass() {
            guard core.clock.hasRegistrations,
                !hasArrival.exchange(true, ordering: .acquiringAndReleasing)
            else { return }
            while !isOpen.load(ordering: .acquiring) { yieldToOtherThreads() }
        }

        func waitForArrival() {
            while !hasArrival.load(ordering: .acquiring) { yieldToOtherThreads() }
        }

        func open() { isOpen.store(true, ordering: .releasing) }
    }

    private struct GatedID: Hashable, Sendable {
        let number: Int
        var gate: Gate?

        static func == (left: GatedID, right: GatedID) -> Bool { left.number == right.number }

        func hash(into hasher: inout Hasher) {
            gate?.pass()
            hasher.combine(number)
        }
    }

    private final class Box: Sendable {
        let number: Int

        init(_ number: Int) { self.number = number }
    }

    private struct Item: Identifiable, Sendable {
        let id: GatedID
        let box: Box

        init(_ number: Int, _ content: Int) {
            id = GatedID(number: number)
            box = Box(content)
        }
    }

    /// An item whose comparison with another one calls a closure.
    private struct ComparedItem: Identifiable, Equatable, Sendable {
        let id: GatedID
        let content: Int
        var onComparison: (@Sendable () -> Void)?

        static func == (left: ComparedItem, right: ComparedItem) -> Bool {
            right.onComparison?()
            return left.id == right.id && left.content == right.content
        }
    }

    private struct Call: Equatable, Sendable {
        let observer: Int
        let content: Int?
        let version: UInt64
    }

    /// Observes the item `1` and records the calls.
    private func observe(
        _ cache: Cache,
        _ gate: Gate? = nil,
        as observer: Int,
        _ calls: Recorder<Call>
    ) -> Disposable {
        let id = GatedID(number: 1, gate: gate)
        return cache.cached(ComparedItem.self, id: id).observeChanges(initial: true) { change in
            calls.append(
                Call(observer: observer, content: change.new?.content, version: change.version)
            )
        }
    }

    @Test("An initial call precedes the calls of a later exchange in place")
    func initialCallPrecedesLaterExchange() {
        let cache = Cache()
        let id = GatedID(number: 1)
        cache.set(ComparedItem(id: id, content: 1))
        let gate = Gate(cache.core)
        let calls = Recorder<Call>()
        let tokens = Recorder<Disposable>()
        tokens.append(observe(cache, as: 1, calls))
        let thread = Locked<RunningThread?>(nil)
        let change = ComparedItem(id: id, content: 2) {
            // The comparison precedes the commit, so the observation begins with the stored value.
            let observing = RunningThread { tokens.append(observe(cache, gate, as: 2, calls)) }
            thread.withLock { $0 = observing }
            gate.waitForArrival()
        }
        cache.set(change)
        gate.open()
        #expect(thread.withLock { $0.take() }?.wait() == true)
        let expected = [
            Call(observer: 1, content: 1, version: 1),
            Call(observer: 2, content: 1, version: 1),
            Call(observer: 1, content: 2, version: 2),
            Call(observer: 2, content: 2, version: 2),
        ]
        #expect(calls.all == expected)
        #expect(!cache.core.clock.hasOpenSnapshots)
        for token in tokens.all { token.dispose() }
    }

    @Test func initialValueIsReadFromASnapshotOfItsOwn() {
        let cache = Cache()
        for number in 1...20 { cache.set(Item(number, number)) }
        let gate = Gate(cache.core)
        let received = Recorder<Int>()
        let token = Locked<Disposable?>(nil)
        let thread = Locked<RunningThread?>(nil)
        cache.performBatchUpdates { batch in
            // More than the four prior values of the log's first chunk.
            for number in 2...20 { batch.set(Item(number, 100 + number)) }
            batch.set(Item(1, 101))
            let observing = RunningThread {
                let id = GatedID(number: 1, gate: gate)
                let observation = cache.cached(Item.self, id: id).observe(initial: true) {
                    received.append($0.box.number)
                }
                token.withLock { $0 = observation }
            }
            thread.withLock { $0 = observing }
            gate.waitForArrival()
        }
        gate.open()
        #expect(thread.withLock { $0.take() }?.wait() == true)
        #expect(Set(received.all).isSubset(of: [1, 101]))
        #expect(received.all.last == 101)
        #expect(!cache.core.clock.hasOpenSnapshots)
        token.withLock { $0 }?.dispose()
    }
}
