#if canImport(SQLite3) || canImport(CSQLite)
/// A set of identifiers that takes at least ten bits for each, and that may also report identifiers
/// that it doesn't contain.
///
/// It's a Bloom filter (Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors", 1970).
struct KeyFilter {
    private var bits: [UInt64]
    private let capacity: Int
    private var count = 0

    /// Creates an empty filter.
    ///
    /// - Parameter capacity: The number of identifiers above which the filter reports too many.
    init(capacity: Int) {
        self.capacity = capacity
        var words = 16
        while words * 64 < capacity * 10 { words *= 2 }
        bits = Array(repeating: 0, count: words)
    }

    var isFull: Bool { count > capacity }

    mutating func insert(_ identifier: RowIdentifier) {
        count += 1
        for position in positions(of: identifier) { bits[position / 64] |= 1 << (position % 64) }
    }

    /// Returns `false` if an identifier surely isn't in the set.
    func mayContain(_ identifier: RowIdentifier) -> Bool {
        positions(of: identifier).allSatisfy { bits[$0 / 64] & 1 << ($0 % 64) != 0 }
    }

    /// Returns the positions of an identifier's bits.
    private func positions(of identifier: RowIdentifier) -> some Sequence<Int> {
        let hash = UInt64(bitPattern: Int64(identifier.hashValue))
        // Two hashes make any number of positions (Kirsch and Mitzenmacher, 2006).
        let first = hash & 0xFFFF_FFFF
        let step = hash >> 32 | 1
        let mask = UInt64(bits.count * 64 - 1)
        return (0..<4).lazy.map { Int((first &+ UInt64($0) &* step) & mask) }
    }
}

/// The filter of a table's identifiers, and the reasons to create or drop it.
struct TableFilter {
    private(set) var keys: KeyFilter?
    /// SQLite's number of the other connections' transactions when the filter was created.
    private var dataVersion: Int64 = 0
    /// The number of reads since then that have found no row.
    private var missedReads = 0

    /// Drops the filter if another connection has written to the file.
    mutating func check(_ dataVersion: Int64) {
        if dataVersion != self.dataVersion { keys = nil }
        self.dataVersion = dataVersion
    }

    /// Returns whether a filter would have saved more time than it takes to create one.
    ///
    /// - Parameter pageCount: The number of pages of the file. All of them have to be read. Reading
    ///   successive pages takes less time than searching for a row.
    func isWorthwhile(pageCount: Int64) -> Bool { keys == nil && missedReads > pageCount / 4 }

    mutating func recordMissedReads(_ count: Int) { missedReads += count }

    mutating func set(_ identifiers: [RowIdentifier]) {
        var keys = KeyFilter(capacity: 2 * identifiers.count + 1_000)
        for identifier in identifiers { keys.insert(identifier) }
        self.keys = keys
        missedReads = 0
    }

    /// Inserts the identifier of a written row.
    mutating func insert(_ identifier: RowIdentifier) {
        keys?.insert(identifier)
        if keys?.isFull ?? false { keys = nil }
    }
}
#endif
