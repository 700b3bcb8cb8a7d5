/// A row of a result: an entity at its place in the order.
@usableFromInline
struct QueryRow<ID: Hashable & Sendable, Payload: QueryPayload>: Sendable {
    @usableFromInline let key: QuerySortKey
    @usableFromInline let id: ID
    /// The value that the query projects the entity to.
    ///
    /// The rows of a query without a projection have a payload without data, since the cache
    /// contains the values.
    @usableFromInline let payload: Payload

    @inlinable
    init(key: QuerySortKey, id: ID, payload: Payload) {
        self.key = key
        self.id = id
        self.payload = payload
    }

    /// `true` if the row refers to no objects.
    @inlinable var isPlain: Bool { key.rest == nil && MemoryLayout<(ID, Payload)>.isPlain }

    /// Returns a negative number, zero or a positive number if the first row comes before, with or
    /// after the second one.
    @inlinable
    static func compare(_ left: QueryRow, _ right: QueryRow) -> Int {
        let keys = QuerySortKey.compare(left.key, right.key)
        return keys == 0 ? IdentifierOrder.compare(left.id, right.id) : keys
    }

    @inlinable
    static func areInOrder(_ left: QueryRow, _ right: QueryRow) -> Bool {
        compare(left, right) < 0
    }
}

/// The data of a row besides its place and its identifier.
@usableFromInline
protocol QueryPayload: Sendable {
    associatedtype Summary: Sendable
    associatedtype Combining: Sendable

    static var emptySummary: Summary { get }
    static func summary(of payload: Self) -> Summary
    static func combine(_ first: Summary, _ second: Summary, _ combining: Combining) -> Summary
}

extension QueryPayload where Summary == NoSummary {
    @inlinable static var emptySummary: NoSummary { NoSummary() }
    @inlinable static func summary(of payload: Self) -> NoSummary { NoSummary() }

    @inlinable
    static func combine(_ first: NoSummary, _ second: NoSummary, _: Combining) -> NoSummary {
        first
    }
}

/// The payload of rows whose values belong to the cache.
@usableFromInline
struct NoPayload: QueryPayload {
    @usableFromInline typealias Summary = NoSummary
    @usableFromInline typealias Combining = NoSummary

    @inlinable init() {}
}

extension QueryRow {
    /// Sorts the rows of a value if they're too many for a linear search.
    ///
    /// Most values have one row.
    ///
    /// - Complexity: O(*n* log *n*) for *n* rows.
    @inlinable
    static func prepareSearch(in rows: inout [QueryRow]) {
        if rows.count > LinearSearch.maximumCount { sort(&rows) }
    }

    /// Returns the first row at the place of another row.
    ///
    /// - Parameters:
    ///   - row: The other row.
    ///   - rows: The rows of a value, after a call of ``prepareSearch(in:)``.
    /// - Complexity: O(log *n*) for *n* rows.
    @inlinable
    static func first(at row: QueryRow, in rows: [QueryRow]) -> QueryRow? {
        if rows.count <= LinearSearch.maximumCount { return rows.first { compare($0, row) == 0 } }
        var (start, end) = (0, rows.count)
        while start < end {
            let middle = start + (end - start) / 2
            if areInOrder(rows[middle], row) { start = middle + 1 } else { end = middle }
        }
        return start < rows.count && compare(rows[start], row) == 0 ? rows[start] : nil
    }

    /// Appends a row of a value, unless one of a few rows from an index on has its place.
    ///
    /// After the last row of the value, call ``removeDuplicates(from:of:)``.
    @inlinable
    static func append(_ row: QueryRow, to rows: inout [QueryRow], from first: Int) {
        if rows.count - first < LinearSearch.maximumCount,
            rows[first...].contains(where: { compare($0, row) == 0 })
        {
            return
        }
        rows.append(row)
    }

    /// Keeps only the first row at each place, from an index on, of rows that
    /// ``append(_:to:from:)`` has appended.
    ///
    /// - Complexity: O(*n* log *n*) for *n* rows from the index on.
    @inlinable
    static func removeDuplicates(from first: Int, of rows: inout [QueryRow]) {
        guard rows.count - first > LinearSearch.maximumCount else { return }
        var sorted = Array(rows[first...])
        sort(&sorted)
        rows.removeSubrange(first...)
        for row in sorted {
            let isDuplicate = rows.count > first && compare(rows[rows.count - 1], row) == 0
            if !isDuplicate { rows.append(row) }
        }
    }
}

extension QueryRow {
    /// The least number of rows that a sort by the keys' numbers orders faster than comparisons do.
    @usableFromInline static var minimumForRadixSort: Int { 256 }

    /// The number of a row's key, and the index of the row.
    @usableFromInline
    struct Place {
        @usableFromInline let prefix: UInt64
        @usableFromInline let index: Int

        @usableFromInline
        init(prefix: UInt64, index: Int) {
            self.prefix = prefix
            self.index = index
        }
    }

    /// Sorts rows.
    ///
    /// The method sorts many rows by the bytes of their keys' numbers, the least significant byte
    /// first (Knuth, "The Art of Computer Programming", volume 3, section 5.2.5). It then sorts the
    /// rows whose numbers are equal by comparisons.
    ///
    /// - Complexity: O(*n*) if all numbers differ, otherwise O(*n* log *n*).
    @_specialize(where ID == Int, Payload == NoPayload)
    @_specialize(where ID == String, Payload == NoPayload)
    @usableFromInline
    static func sort(_ rows: inout [QueryRow]) {
        guard rows.count >= minimumForRadixSort, let places = sortedPlaces(of: rows) else {
            if rows.count > 1 { rows.sort(by: areInOrder) }
            return
        }
        rows.withUnsafeMutableBufferPointer { move($0, to: places) }
        var start = 0
        while start < places.count {
            var end = start + 1
            while end < places.count, places[end].prefix == places[start].prefix { end += 1 }
            if end - start > 1 { rows[start..<end].sort(by: areInOrder) }
            start = end
        }
    }

    /// Moves each row to the index of its place in the array of places.
    @usableFromInline
    static func move(_ rows: UnsafeMutableBufferPointer<QueryRow>, to places: [Place]) {
        guard let start = rows.baseAddress else { return }
        // Rows are moved rather than copied, so that no references are counted.
        let unsorted = UnsafeMutablePointer<QueryRow>.allocate(capacity: rows.count)
        defer { unsorted.deallocate() }
        unsorted.moveInitialize(from: start, count: rows.count)
        for (index, place) in places.enumerated() {
            (start + index).initialize(to: (unsorted + place.index).move())
        }
    }

    /// Returns the places of rows in the order of the numbers, or `nil` if all numbers are equal.
    @usableFromInline
    static func sortedPlaces(of rows: [QueryRow]) -> [Place]? {
        // The number of rows for each value of each byte.
        var counts = [Int](repeating: 0, count: 8 * 256)
        for row in rows {
            for byte in 0..<8 { counts[bucket(of: row.key.prefix, byte)] += 1 }
        }
        let bytes = (0..<8).filter { counts[bucket(of: rows[0].key.prefix, $0)] < rows.count }
        guard !bytes.isEmpty else { return nil }
        var places = rows.indices.map { Place(prefix: rows[$0].key.prefix, index: $0) }
        var sorted = places
        for byte in bytes {
            // The next index in the sorted array for each value of the byte.
            var next = 0
            for bucket in byte * 256..<(byte + 1) * 256 {
                (counts[bucket], next) = (next, next + counts[bucket])
            }
            for place in places {
                let bucket = bucket(of: place.prefix, byte)
                sorted[counts[bucket]] = place
                counts[bucket] += 1
            }
            swap(&places, &sorted)
        }
        return places
    }

    @usableFromInline
    static func bucket(of prefix: UInt64, _ byte: Int) -> Int {
        byte * 256 + Int(truncatingIfNeeded: prefix >> UInt64(byte * 8) & 0xff)
    }
}
