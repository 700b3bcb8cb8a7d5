import Testing

@testable import FlatCache

struct TableTests {
    /// Identifiers whose hashes are all equal, so that one stripe and one probe sequence hold them.
    struct Crowd: Identifiable, Sendable, Equatable {
        struct ID: Hashable, Sendable {
            let number: Int
            func hash(into hasher: inout Hasher) { hasher.combine(0) }
        }

        let id: ID
        var revision = 0
    }

    private func capacity(of cache: Cache) -> Int {
        cache.core.tables.existingTable(of: Station.self)?.allStripes
            .reduce(0) { $0 + $1.slots.capacity } ?? 0
    }

    @Test func identifiersOfOneHashAreToldApart() {
        let cache = Cache()
        let ids = (0..<60).map { Crowd.ID(number: $0) }
        let handles = ids.map { cache.cached(Crowd.self, id: $0) }
        cache.set(contentsOf: ids.map { Crowd(id: $0, revision: $0.number) })
        #expect(handles.map { $0.value?.revision } == Array(0..<60))
        for id in ids where id.number % 3 != 0 { cache.remove(Crowd.self, id: id) }
        cache.core.checkInvariants()
        for (id, handle) in zip(ids, handles) {
            #expect(handle.value?.revision == (id.number % 3 == 0 ? id.number : nil))
            #expect(cache[Crowd.self, id]?.revision == handle.value?.revision)
        }
        #expect(cache.count(of: Crowd.self) == 20)
    }

    @Test func givesMemoryBackWhenMostHasGone() {
        let cache = Cache()
        cache.set(contentsOf: (0..<20_000).lazy.map { Station(id: $0) })
        let full = capacity(of: cache)
        #expect(full >= 20_000)
        cache.performBatchUpdates { batch in
            for id in 10..<20_000 { batch.remove(Station.self, id: id) }
        }
        #expect(capacity(of: cache) < full / 4)
        #expect(cache.ids(of: Station.self).sorted() == Array(0..<10))
        cache.core.checkInvariants()
    }

    @Test func aBatchThatIsTakenBackLeavesNoEntries() throws {
        struct Refusal: Error {}
        let cache = Cache()
        cache.set(Station(id: -1))
        try? cache.performBatchUpdates { batch in
            batch.set(contentsOf: (0..<1_000).map { Station(id: $0) })
            throw Refusal()
        }
        let table = try #require(cache.core.tables.existingTable(of: Station.self))
        #expect(table.allStripes.reduce(0) { $0 + $1.slots.count } == 1)
        cache.core.checkInvariants()
    }
}
