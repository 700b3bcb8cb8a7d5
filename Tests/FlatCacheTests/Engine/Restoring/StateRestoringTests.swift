import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Lists, aliases and requests, which are written and restored like entities.
struct StateRestoringTests {
    let clock = SleeplessClock()
    let cache: Cache

    init() { cache = Cache(configuration: CacheConfiguration(clock: clock)) }

    @Test func listIsRestoredWithItsPages() throws {
        let lists = Archive<ListState<Item>>()
        lists.attach(to: cache)
        let list = cache.list("best", of: Item.self)
        try list.merge(ListPage([Item(id: 1), Item(id: 2)], next: "a"), after: nil)
        try list.merge(ListPage([Item(id: 3)], next: "b"), after: "a")
        lists.flush()
        #expect(lists.values["best"]?.boundaries.map(\.cursor) == ["a", "b"])

        let other = Cache()
        let restored = Archive<ListState<Item>>(
            lists.values.values.map { state in
                ListState(
                    id: state.id,
                    ids: state.ids,
                    pinsElements: state.pinsElements,
                    boundaries: state.boundaries,
                    isComplete: state.isComplete
                )
            }
        )
        restored.attach(to: other)
        restored.restore()
        #expect(other.list("best", of: Item.self).ids == [1, 2, 3])
        #expect(other.list("best", of: Item.self).next == .after("b"))
        #expect(restored.journal.changes.isEmpty)
        try other.list("best", of: Item.self).merge(ListPage([Item(id: 4)], next: nil), after: "b")
        #expect(other.list("best", of: Item.self).ids == [1, 2, 3, 4])
        #expect(Array(restored.journal.changes.stored) == ["best"])
        other.core.checkInvariants()
    }

    @Test func listWhosePagesDoNotFitHasNone() {
        func state(_ boundaries: [(String, Int)], isComplete: Bool) -> ListState<Item> {
            ListState(
                id: "list",
                ids: [1, 2, 3],
                pinsElements: true,
                boundaries: boundaries.map { PageBoundary(cursor: $0, position: $1) },
                isComplete: isComplete
            )
        }
        #expect(state([("a", 1), ("b", 3)], isComplete: false).next == .after("b"))
        #expect(state([("a", 1)], isComplete: true).next == .end)
        let misfits = [
            state([("a", 2)], isComplete: false), state([("a", 3), ("b", 2)], isComplete: true),
            state([("a", 4)], isComplete: true), state([("a", -1)], isComplete: true),
            state([("a", 3), ("a", 3)], isComplete: false),
        ]
        for misfit in misfits {
            misfit.checkInvariants()
            #expect(misfit.next == .unknown)
            #expect(misfit.ids == [1, 2, 3])
        }
    }

    @Test func aliasIsRestored() {
        let aliases = Archive<AliasState<Item>>()
        aliases.attach(to: cache)
        let newest = cache.alias("newest", of: Item.self)
        newest.target = 7
        cache.alias("oldest", of: Item.self).target = 1
        aliases.flush()
        cache.alias("oldest", of: Item.self).target = nil
        aliases.flush()
        #expect(Array(aliases.values.keys) == ["newest"])
        let other = Cache()
        let restored = Archive(Array(aliases.values.values))
        restored.attach(to: other)
        restored.restore()
        #expect(other.alias("newest", of: Item.self).target == 7)
    }

    @Test func responsesOfRequestsAreListed() async throws {
        let source = ArchiveSource()
        let access = CacheAccess(source, to: cache)
        let signals = Recorder<Int>()
        let journal = access.journalOfRequests { signals.append(1) }
        let token = access.add(journal)
        let response = try await cache.load("books", staleAfter: .seconds(60)) { [1, 2] }
        #expect(response == [1, 2])
        #expect(Array(journal.changes.stored) == ["books"])
        clock.advance(by: .seconds(20))
        access.withSnapshot(taking: [journal]) { snapshot in
            let stored = snapshot.stored(RequestState.self, id: "books")
            #expect(stored?.value.response as? [Int] == [1, 2])
            #expect(stored?.value.lifetime(at: access.now) == .seconds(40))
        }
        access.confirm([journal])
        cache.invalidate(request: "books")
        cache.invalidate(request: "other")
        cache.invalidate(requestsWithPrefix: "x?")
        #expect(Array(journal.changes.stored) == ["books"])
        #expect(Array(journal.changes.invalidated) == ["other"])
        #expect(journal.changes.invalidatedPrefixes == ["x?"])
        access.write(.restoring) { transaction in
            transaction.insert([3], ofRequest: "x?1", age: nil, lifetime: nil)
            transaction.insert([4], ofRequest: "y", age: nil, lifetime: nil)
        }
        #expect(cache.freshness(ofRequest: "x?1").isStale)
        #expect(cache.freshness(ofRequest: "y").isFresh)
        withExtendedLifetime(token) {}
    }
}
