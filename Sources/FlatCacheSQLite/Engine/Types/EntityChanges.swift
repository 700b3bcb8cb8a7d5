#if canImport(SQLite3) || canImport(CSQLite)
public import FlatCache

/// The journal of a durable type, and the reading of the changes that it lists.
struct TypeJournal: Sendable {
    let journal: any AnyChangeJournal
    /// A closure that returns the changes that were taken, with the values of a snapshot.
    let takenChanges: @Sendable (CacheSnapshot) -> any TypeChanges
}

/// The changes to the entities of a type that a flush writes.
protocol TypeChanges: Sendable {
    var isEmpty: Bool { get }
}

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
    /// The keys of the entities of stored responses, if the entities have values.
    var related: Set<CacheKey> = []
    /// The stored entities that still have a value.
    @usableFromInline var entities: [Entity] = []
    /// The time of the snapshot, or `nil` if the changes are written at once.
    var time: WallTime?

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
}

extension EntityChanges: TypeChanges {
    var isEmpty: Bool { taken.isEmpty && removedPrefixes.isEmpty }
}

/// The changes to the rows of a type, encoded for a transaction.
struct EncodedChanges {
    struct Row {
        let identifier: RowIdentifier
        /// The position of the value among the encoded ones.
        let number: Int
        /// The encoded value, as a part of the writer's bytes.
        let value: Range<Int>
    }

    struct Details {
        var stored: Int64?
        var stale: Int64?
        var stamp: [UInt8]?
        var whole: Int64?
    }

    var isEmpty = true
    var removesAll = false
    var removed: [RowIdentifier] = []
    /// The prefixes of the names of removed lists.
    var removedPrefixes: [String] = []
    var invalidatesAll = false
    var invalidated: [RowIdentifier] = []
    /// The prefixes of the names of invalidated requests.
    var invalidatedPrefixes: [String] = []
    /// The stored rows in the order of the table.
    private(set) var rows: [Row] = []
    /// The freshness and the stamp of each row by its number, or empty if no row has any.
    private(set) var details: [Details] = []
    /// The writer of the encoded values, used for no others until they're written.
    var writer: RowWriter?
    var time = WallTime(milliseconds: 0)

    /// The total size of the encoded values.
    var size: Int { writer?.bytes.count ?? 0 }

    mutating func reserve(_ count: Int) { rows.reserveCapacity(count) }

    /// Appends a row whose value the writer has written.
    mutating func append(
        _ identifier: RowIdentifier,
        valueFrom start: Int,
        _ freshness: StoredFreshness,
        _ stamp: [UInt8]?
    ) {
        let number = rows.count
        rows.append(Row(identifier: identifier, number: number, value: start..<size))
        if details.isEmpty, freshness == StoredFreshness(), stamp == nil { return }
        // The rows before the first one with details have none.
        while details.count < number { details.append(Details()) }
        details.append(
            Details(
                stored: freshness.age.map(time.before),
                stale: freshness.staleFor.map(time.before),
                stamp: stamp,
                whole: freshness.wholeAge.map {
                    $0 == StoredFreshness.noWholeValue ? -1 : time.before($0)
                }
            )
        )
    }

    /// Sorts the rows in the order of the table, so that SQLite appends them to the same page.
    mutating func sort() { rows.sort { $0.identifier < $1.identifier } }
}
#endif
