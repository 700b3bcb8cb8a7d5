public import Synchronization

/// The tables of a cache, one per type, found without a lock.
///
/// The directory is a chained hash table whose chains only grow at the front. A table exists as
/// long as its cache, so a reader can follow a chain while another thread adds to it.
@usableFromInline
final class TableDirectory: @unchecked Sendable {
    // All properties are constant. Each link is immutable, reached through an atomic of `chains`,
    // and added under `additionLock`.

    @usableFromInline
    final class Link {
        @usableFromInline let typeIdentifier: ObjectIdentifier
        let table: any AnyTable
        /// The table as an object that inlinable code can downcast.
        @usableFromInline let object: AnyObject
        @usableFromInline let next: Unmanaged<Link>?

        init(_ table: any AnyTable, next: Unmanaged<Link>?) {
            typeIdentifier = table.typeIdentifier
            self.table = table
            object = table
            self.next = next
        }
    }

    @usableFromInline typealias Chain = Atomic<Unmanaged<Link>?>
    private static let chainCount = 64

    // The memory is initialized before the directory is shared, and deinitialized with the
    // directory; its contents are atomic. A link is immutable, and its chain retains it until the
    // directory is deallocated.
    @usableFromInline let chains: UnsafeMutablePointer<Chain>
    /// Held while a table is added, so that each type gets only one table.
    private let additionLock = Lock()
    @usableFromInline let clock: CommitClock
    /// The rules for the segments of the tables.
    @usableFromInline let segmentSize: SegmentSize
    /// The eviction policies to apply to new tables.
    private let policies: EvictionPolicies

    init(clock: CommitClock, policies: EvictionPolicies, segmentSize: SegmentSize = .standard) {
        self.clock = clock
        self.segmentSize = segmentSize
        self.policies = policies
        chains = .allocate(capacity: Self.chainCount)
        for index in 0..<Self.chainCount {
            (chains + index).initialize(to: Chain(nil))
        }
    }

    deinit {
        for index in 0..<Self.chainCount {
            var link = chains[index].load(ordering: .relaxed)
            while let current = link {
                link = current.takeUnretainedValue().next
                current.release()
            }
        }
        chains.deinitialize(count: Self.chainCount)
        chains.deallocate()
    }

    /// Returns the table of a type, if there is one, without counting a reference.
    ///
    /// The directory keeps the table alive.
    @inlinable @inline(__always)
    func unmanagedTable<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> Unmanaged<Table<Value>>? where Value.ID: Sendable {
        let typeIdentifier = ObjectIdentifier(type)
        var link = chains[Self.chain(of: typeIdentifier)].load(ordering: .acquiring)
        while let current = link {
            let (isFound, next) = current._withUnsafeGuaranteedRef {
                ($0.typeIdentifier == typeIdentifier, $0.next)
            }
            if isFound {
                // A link is found by its type identifier, so its table is of that type.
                return current._withUnsafeGuaranteedRef {
                    .passUnretained(unsafeDowncast($0.object, to: Table<Value>.self))
                }
            }
            link = next
        }
        return nil
    }

    /// Returns the table of a type, or `nil` if no operation has requested it yet.
    @inlinable
    func existingTable<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> Table<Value>? where Value.ID: Sendable {
        unmanagedTable(of: type)?.takeUnretainedValue()
    }

    /// Returns the table of a type, creating it on the first request.
    @inlinable
    func table<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> Table<Value> where Value.ID: Sendable {
        if let table = existingTable(of: type) { return table }
        return add(Table<Value>(clock: clock, size: segmentSize))
    }

    /// Adds a table, unless another thread has added one of its type; returns the table in the
    /// directory.
    @usableFromInline
    func add<Value: Identifiable & Sendable>(
        _ table: Table<Value>
    ) -> Table<Value> where Value.ID: Sendable {
        additionLock.withLock {
            if let table = existingTable(of: Value.self) { return table }
            policies.apply(to: table)
            let chain = Self.chain(of: table.typeIdentifier)
            let link = Link(table, next: chains[chain].load(ordering: .relaxed))
            chains[chain].store(Unmanaged.passRetained(link), ordering: .releasing)
            return table
        }
    }

    func table(withTypeIdentifier typeIdentifier: ObjectIdentifier) -> (any AnyTable)? {
        var link = chains[Self.chain(of: typeIdentifier)].load(ordering: .acquiring)
        while let current = link?.takeUnretainedValue() {
            if current.typeIdentifier == typeIdentifier { return current.table }
            link = current.next
        }
        return nil
    }

    var allTables: [any AnyTable] {
        var tables: [any AnyTable] = []
        for index in 0..<Self.chainCount {
            var link = chains[index].load(ordering: .acquiring)
            while let current = link?.takeUnretainedValue() {
                tables.append(current.table)
                link = current.next
            }
        }
        return tables
    }

    // Type metadata is aligned, so its address differs in the middle bits; Fibonacci hashing
    // (Knuth, volume 3, section 6.4) brings them to the top.
    @inlinable
    static func chain(of typeIdentifier: ObjectIdentifier) -> Int {
        let address = UInt64(UInt(bitPattern: typeIdentifier))
        return Int((address &* 0x9E37_79B9_7F4A_7C15) >> 58)
    }
}
