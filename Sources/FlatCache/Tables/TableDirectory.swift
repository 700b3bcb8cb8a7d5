import Synchronization

/// The tables of a cache, one per type, found without a lock.
///
/// A chained hash table whose chains only ever grow at the front: a table stays for as long as its
/// cache, so a reader can follow a chain while another thread adds to it.
final class TableDirectory: @unchecked Sendable {
    private final class Link {
        let typeIdentifier: ObjectIdentifier
        let table: any AnyTable
        let next: Unmanaged<Link>?

        init(_ table: any AnyTable, next: Unmanaged<Link>?) {
            typeIdentifier = table.typeIdentifier
            self.table = table
            self.next = next
        }
    }

    private typealias Chain = Atomic<Unmanaged<Link>?>
    private static let chainCount = 64

    // The memory is initialized before the directory is shared, and deinitialized with it; what it
    // holds is atomic. A link is immutable, and retained by its chain until the directory goes.
    private let chains: UnsafeMutablePointer<Chain>
    /// Held while a table is added, so that no type gets two.
    private let additionLock = Lock()
    private let clock: CommitClock

    init(clock: CommitClock) {
        self.clock = clock
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

    /// The table of a type, if a value or a handle of that type has been asked for yet.
    func existingTable<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> Table<Value>? where Value.ID: Sendable {
        guard let table = table(withTypeIdentifier: ObjectIdentifier(type)) else { return nil }
        return unsafeDowncast(table, to: Table<Value>.self)
    }

    /// The table of a type, created when it is first asked for.
    func table<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> Table<Value> where Value.ID: Sendable {
        existingTable(of: type)
            ?? additionLock.withLock {
                if let table = existingTable(of: type) { return table }
                let table = Table<Value>(clock: clock)
                let chain = Self.chain(of: table.typeIdentifier)
                let link = Link(table, next: chains[chain].load(ordering: .relaxed))
                chains[chain].store(Unmanaged.passRetained(link), ordering: .releasing)
                return table
            }
    }

    /// The table of the type with an identifier, if there is one.
    func table(withTypeIdentifier typeIdentifier: ObjectIdentifier) -> (any AnyTable)? {
        var link = chains[Self.chain(of: typeIdentifier)].load(ordering: .acquiring)
        while let current = link?.takeUnretainedValue() {
            if current.typeIdentifier == typeIdentifier { return current.table }
            link = current.next
        }
        return nil
    }

    /// All tables that there are now.
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

    // Type metadata is aligned, so its address differs in the middle bits; Fibonacci hashing (Knuth,
    // volume 3, section 6.4) brings them to the top.
    private static func chain(of typeIdentifier: ObjectIdentifier) -> Int {
        let address = UInt64(UInt(bitPattern: typeIdentifier))
        return Int((address &* 0x9E37_79B9_7F4A_7C15) >> 58)
    }
}
