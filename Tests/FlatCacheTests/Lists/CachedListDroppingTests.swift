import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Lists that drop removed entities.
struct CachedListDroppingTests {
    private let cache: Cache
    private let list: CachedList<Station>
    private let plain: CachedList<Station>

    init() {
        var configuration = CacheConfiguration()
        configuration.dropRemovedElements(of: Station.self) { $0 != "plain" }
        cache = Cache(configuration: configuration)
        list = cache.list("list", of: Station.self)
        plain = cache.list("plain", of: Station.self)
        for list in [list, plain] { list.replace(with: (1...4).map { Station(id: $0) }) }
    }

    @Test("A list drops an entity in the commit that removes it, unless it's left out")
    func removal() {
        let version = cache.version
        let received = Recorder<[Int]>()
        let changes = Recorder<ListChange<Station>>()
        let tokens = [
            list.observe { received.append($0.map(\.id)) },
            list.observeChanges { changes.append($0) },
        ]
        cache.remove(Station.self, id: 2)
        #expect(list.ids == [1, 3, 4])
        #expect(plain.ids == [1, 2, 3, 4])
        #expect(cache.version == version + 1)
        #expect(received.all == [[1, 3, 4]])
        #expect(changes.all.map(\.ids) == [[1, 3, 4]])
        #expect(changes.all.first?.difference.removals.count == 1)
        cache.set(Station(id: 2))
        #expect(list.ids == [1, 3, 4])
        #expect(plain.elements.count == 4)
        for token in tokens { token.dispose() }
        cache.core.checkInvariants()
    }

    @Test func allListsOfTheTypeDropRemovedEntitiesByDefault() {
        var configuration = CacheConfiguration()
        configuration.dropRemovedElements(of: Station.self)
        let cache = Cache(configuration: configuration)
        let lists = ["a", "b"].map { cache.list($0, of: Station.self) }
        let notes = cache.list("a", of: Note.self)
        for list in lists { list.replace(with: [Station(id: 1), Station(id: 2)]) }
        notes.replace(with: [Note(id: 1, text: "")])
        cache.remove(Station.self, id: 1)
        cache.remove(Note.self, id: 1)
        #expect(lists.map(\.ids) == [[2], [2]])
        #expect(notes.ids == [1])
    }

    @Test func entityThatMemoryLacksIsDropped() {
        list.replace(withIDs: [1, 7, 8])
        #expect(cache.remove(Station.self, id: 7) == nil)
        #expect(list.ids == [1, 8])
        let version = cache.version
        cache.remove(Station.self, id: 9)
        #expect(list.ids == [1, 8])
        #expect(cache.version == version)
    }

    @Test func removedTypeLeavesOnlyEntitiesThatAreStoredAgain() {
        list.append(contentsOf: [Station(id: 5)])
        list.update { $0.append(6) }
        let version = cache.version
        #expect(cache.removeAll(Station.self) == 5)
        #expect(list.ids == [])
        #expect(plain.ids == [1, 2, 3, 4])
        #expect(cache.version == version + 1)
        list.replace(with: [Station(id: 1), Station(id: 2)])
        cache.performBatchUpdates { batch in
            batch.removeAll(Station.self)
            batch.set(Station(id: 2))
        }
        #expect(list.ids == [2])
        // Lists that are stored after everything was removed are new.
        cache.performBatchUpdates { batch in
            batch.removeAll()
            batch.list("list", of: Station.self).replace(withIDs: [5, 6])
        }
        #expect(list.ids == [5, 6] && plain.ids == [])
        cache.core.checkInvariants()
    }

    @Test("A handle's value that is set to nil, and an owner that is removed, drop entities, too")
    func otherRemovals() {
        struct Line: CacheEntity, OwnsCachedValues {
            let id: Int
            var stations: [Int]
            var ownedCacheKeys: Set<CacheKey> {
                Set(stations.map { CacheKey(Station.self, id: $0) })
            }
        }
        cache.set(Line(id: 1, stations: [2, 3, 9]))
        list.update { $0.append(9) }
        cache.cached(Station.self, id: 1).value = nil
        #expect(list.ids == [2, 3, 4, 9])
        cache.remove(Line.self, id: 1)
        #expect(list.ids == [4])
    }

    @Test("In a batch, the lists drop entities when it ends, unless they're stored again")
    func batches() throws {
        cache.performBatchUpdates { batch in
            batch.remove(Station.self, id: 1)
            batch.remove(Station.self, id: 2)
            #expect(batch.list("list", of: Station.self).ids == [1, 2, 3, 4])
            #expect(batch.list("list", of: Station.self).elements.map(\.id) == [3, 4])
            batch.set(Station(id: 2))
        }
        #expect(list.ids == [2, 3, 4])
        cache.performBatchUpdates { batch in
            // The rolled back removals concern an entity with a value, and one without.
            try? cache.performBatchUpdates { inner in
                inner.remove(Station.self, id: 3)
                inner.remove(Station.self, id: 9)
                throw CancellationError()
            }
            batch.list("list", of: Station.self).update { $0.append(9) }
            batch.remove(Station.self, id: 4)
        }
        #expect(list.ids == [2, 3, 9])
        let version = cache.version
        #expect(throws: CancellationError.self) {
            try cache.performBatchUpdates { batch in
                batch.remove(Station.self, id: 2)
                throw CancellationError()
            }
        }
        #expect(list.ids == [2, 3, 9])
        #expect(cache.version == version)
    }

    @Test("Evicted, expired and pruned entities keep their places")
    func evictions() {
        let clock = SleeplessClock()
        var configuration = CacheConfiguration(clock: clock)
        configuration.dropRemovedElements(of: Station.self)
        configuration.limit(Station.self, .count(2), expires: .afterWrite(.seconds(1)))
        let cache = Cache(configuration: configuration)
        let list = cache.list("list", of: Station.self, pinsElements: false)
        list.replace(with: (1...4).map { Station(id: $0) })
        #expect(cache.count(of: Station.self) == 2)
        #expect(list.ids == [1, 2, 3, 4])
        clock.advance(by: .seconds(2))
        cache.expireValues()
        #expect(cache.count(of: Station.self) == 0)
        #expect(list.ids == [1, 2, 3, 4])
        let observation = list.following(.none).observe { _ in }
        cache.set(Station(id: 9))
        cache.pruneUnobservedValues()
        #expect(list.ids == [1, 2, 3, 4])
        cache.remove(Station.self, id: 3)
        #expect(list.ids == [1, 2, 4])
        observation.dispose()
    }

    @Test func pagesAndCursorsStayValid() throws {
        try list.merge([1, 2].map { Station(id: $0) }, after: nil, next: "b")
        try list.merge([3, 4].map { Station(id: $0) }, after: "b", next: "c")
        cache.remove(Station.self, id: 2)
        cache.remove(Station.self, id: 4)
        #expect(list.ids == [1, 3])
        #expect(list.next == .after("c"))
        try list.merge([5].map { Station(id: $0) }, after: "b", next: "d")
        #expect(list.ids == [1, 5])
        cache.removeAll(Station.self)
        #expect(list.ids == [])
        #expect(list.next == .after("d"))
    }

    @Test("A page that was requested before a removal doesn't bring the entity back")
    func latePages() async throws {
        for list in [list, plain] {
            try list.merge([1, 2].map { Station(id: $0) }, after: nil, next: "b")
            try await list.loadNext { [cache] _ in
                cache.remove(Station.self, id: 2)
                cache.remove(Station.self, id: 6)
                return ListPage([5, 6, 7].map { Station(id: $0) }, next: "c")
            }
            try await list.loadNext { [cache] _ in
                cache.remove(Station.self, id: 8)
                cache.set(Station(id: 8))
                return ListPage([8, 9].map { Related($0) }, next: nil)
            }
            let isPlain = list.name == "plain"
            #expect(list.ids == (isPlain ? [1, 2, 5, 6, 7, 8, 9] : [1, 5, 7, 8, 9]))
            #expect(list.next == .end)
        }
    }

    @Test func snapshotsShowTheListAsItWas() {
        cache.withSnapshot { snapshot in
            cache.remove(Station.self, id: 1)
            #expect(list.ids(in: snapshot) == [1, 2, 3, 4])
            #expect(list.elements(in: snapshot).count == 4)
        }
    }

    @Test("A list that a participant has restored drops entities")
    func restoredLists() {
        final class Store: CommitParticipant {}
        let access = CacheAccess(Store(), to: cache)
        access.write(.restoring) { transaction in
            _ = transaction.insert(
                ListState<Station>(id: "restored", ids: [1, 2, 7], pinsElements: true)
            )
        }
        cache.remove(Station.self, id: 7)
        #expect(cache.list("restored", of: Station.self).ids == [1, 2])
        access.write(.writing) { $0.remove(Station.self, id: 1) }
        #expect(cache.list("restored", of: Station.self).ids == [2])
    }

    @Test("The journal lists a list that drops an entity whose removal a participant imports")
    func importedRemovals() {
        let source = ArchiveSource()
        let access = CacheAccess(source, to: cache)
        let journal = ChangeJournal(of: ListState<Station>.self, in: access) {}
        let token = access.add(journal)
        access.withSnapshot(taking: [journal]) { _ in }
        access.confirm([journal])
        #expect(journal.changes.stored.isEmpty)
        access.write(.writing) { transaction in
            transaction.set(Station(id: 1, revision: 1))
            transaction.remove(Station.self, id: 2)
        }
        #expect(Array(journal.changes.stored) == ["list"])
        withExtendedLifetime(token) {}
    }
}
