import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests of `CacheSnapshot.forEachStored(_:_:)`.
struct StoredEntitiesTests {
    @Test("The values come in the order of the identifiers, without missing ones")
    func valuesKeepTheOrderOfIdentifiers() {
        let cache = Cache()
        cache.set(contentsOf: (0..<2_000).map { Item(id: $0, price: 1) })
        // A whole block of identifiers is missing, and parts of others.
        let ids = (0..<3_000).reversed().map { $0.isMultiple(of: 3) ? $0 + 1_000 : $0 }
        cache.withSnapshot { snapshot in
            // The snapshot doesn't show these writes, some of which move entries.
            cache.set(contentsOf: (0..<20_000).map { Item(id: $0, price: 2) })
            for id in 500..<1_000 { cache.remove(Item.self, id: id) }
            var read: [Item] = []
            snapshot.forEachStored(ChunkedArray(ids)) { (item: Item, freshness) in
                read.append(item)
                #expect(freshness.isEmpty)
            }
            #expect(read == ids.filter { $0 < 2_000 }.map { Item(id: $0, price: 1) })
        }
    }

    @Test func valuesOfAllSizesAreRead() {
        let cache = Cache()
        cache.set(Item(id: 1))
        cache.set(Large(id: "1"))
        cache.set(Small.only)
        cache.withSnapshot { snapshot in
            #expect(snapshot.stored(Item.self, id: 1)?.value == Item(id: 1))
            #expect(snapshot.stored(Large.self, id: "1")?.value == Large(id: "1"))
            #expect(snapshot.stored(Small.self, id: .only)?.value == .only)
            #expect(snapshot.stored(Large.self, id: "2") == nil)
        }
    }

    @Test func readsOfATypeWithoutATableReturnNothing() {
        Cache().withSnapshot { #expect($0.stored(Item.self, id: 1) == nil) }
    }
}

/// A value that takes several cache lines.
private struct Large: Identifiable, Equatable, Sendable {
    let id: String
    var fields = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

    static func == (left: Large, right: Large) -> Bool { left.id == right.id }
}

/// A value that takes no memory.
private enum Small: Identifiable, Sendable {
    case only

    var id: Small { self }
}

extension CacheSnapshot {
    /// Returns the value of an entity and its freshness, or `nil` if there's no value.
    func stored<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> (value: Value, freshness: StoredFreshness)? where Value.ID: Sendable {
        var stored: (Value, StoredFreshness)?
        forEachStored(ChunkedArray([id])) { stored = ($0, $1) }
        return stored
    }
}
