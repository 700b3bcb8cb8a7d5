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

/// The summary of rows that summarizes nothing.
@usableFromInline
struct NoSummary: Sendable {
    @usableFromInline init() {}
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
    /// Sorts the rows of a value, from an index on, and keeps only the first one at each place.
    ///
    /// Rows of the same value have one place if it has equal keys.
    static func sortAndRemoveDuplicates(from first: Int, of rows: inout [QueryRow]) {
        if rows.count - first < 2 { return }
        var sorted = Array(rows[first...])
        sort(&sorted)
        rows.removeSubrange(first...)
        for row in sorted where rows.count == first || areInOrder(rows[rows.count - 1], row) {
            rows.append(row)
        }
    }
}

extension QueryRow {
    /// The least number of rows that a sort by the keys' numbers orders faster than comparisons do.
    static var minimumForRadixSort: Int { 256 }

    /// The number of a row's key, and the index of the row.
    struct Place {
        let prefix: UInt64
        let index: Int
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
    static func bucket(of prefix: UInt64, _ byte: Int) -> Int {
        byte * 256 + Int(truncatingIfNeeded: prefix >> UInt64(byte * 8) & 0xff)
    }
}
