#if canImport(SQLite3) || canImport(CSQLite)
public import FlatCache

/// The changes to the entities of a type that a flush writes, with their values.
@usableFromInline
struct EntityChanges<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    @usableFromInline
    struct Entity: Sendable {
        @usableFromInline var value: Value
        @usableFromInline var freshness: StoredFreshness

        var id: Value.ID { value.id }

        @inlinable
        init(_ value: Value, _ freshness: StoredFreshness) {
            self.value = value
            self.freshness = freshness
        }
    }

    /// The changes, with the stamps of the entities.
    @usableFromInline var taken: JournaledChanges<Value.ID>
    /// The prefixes of the names of removed lists.
    var removedPrefixes: [String] = []
    /// The stored entities that still have a value.
    @usableFromInline var entities: [Entity] = []

    /// Reads the values of changes from a snapshot.
    ///
    /// The function is specialized in the client's module, since unspecialized reading takes
    /// several times as long (row 32a of Benchmarks).
    @inlinable
    init(_ taken: JournaledChanges<Value.ID>, in snapshot: CacheSnapshot) {
        self.taken = taken
        // A local variable needs no checks of exclusive access.
        var entities: [Entity] = []
        entities.reserveCapacity(taken.stored.count)
        snapshot.forEachStored(taken.stored) { entities.append(Entity($0, $1)) }
        self.entities = entities
    }

    /// Adds the time since the snapshot to the ages of the changes.
    mutating func addAge(_ elapsed: Duration) {
        taken.age += elapsed
        for index in entities.indices where !entities[index].freshness.isEmpty {
            entities[index].freshness.age? += elapsed
            entities[index].freshness.staleFor? += elapsed
        }
    }
}

extension EntityChanges: TypeChanges {
    var isEmpty: Bool { taken.isEmpty && removedPrefixes.isEmpty }
}
#endif
