/// The parts of adjacent rows, each part in an array.
///
/// A search reads only the numbers of the keys, and numbers are copied without counting references.
struct RowColumns<ID: Hashable & Sendable, Payload: QueryPayload>: Sendable {
    typealias Row = QueryRow<ID, Payload>

    private var prefixes: [UInt64] = []
    /// The rests of the keys, or an empty array if no key has one.
    private var rests: [QuerySortKey.Rest?] = []
    private(set) var ids: [ID] = []
    private(set) var payloads: [Payload] = []

    var count: Int { prefixes.count }

    func key(at index: Int) -> QuerySortKey {
        QuerySortKey(prefix: prefixes[index], rest: rests.isEmpty ? nil : rests[index])
    }

    subscript(index: Int) -> Row {
        Row(key: key(at: index), id: ids[index], payload: payloads[index])
    }

    subscript(indices: Range<Int>) -> RowColumns {
        var part = RowColumns()
        part.append(self, indices)
        return part
    }

    private mutating func reserveCapacity(_ count: Int) {
        prefixes.reserveCapacity(count)
        ids.reserveCapacity(count)
        payloads.reserveCapacity(count)
    }

    mutating func append(_ row: Row) {
        if row.key.rest != nil || !rests.isEmpty {
            addMissingRests()
            rests.append(row.key.rest)
        }
        prefixes.append(row.key.prefix)
        ids.append(row.id)
        payloads.append(row.payload)
    }

    mutating func append(_ other: RowColumns, _ indices: Range<Int>) {
        if !other.rests.isEmpty {
            addMissingRests()
            rests += other.rests[indices]
        }
        prefixes += other.prefixes[indices]
        ids += other.ids[indices]
        payloads += other.payloads[indices]
        if !rests.isEmpty { addMissingRests() }
    }

    private mutating func addMissingRests() {
        if rests.count < count { rests += Array(repeating: nil, count: count - rests.count) }
    }

    /// Returns the index of the first row, from an index on, that doesn't precede another row.
    func firstIndex(from start: Int = 0, notBefore row: Row) -> Int {
        (start..<count).partitionPoint { compare($0, row) >= 0 }
    }

    /// Compares the row at an index with another row.
    private func compare(_ index: Int, _ row: Row) -> Int {
        // Most rows differ in the numbers of their keys.
        let prefix = prefixes[index]
        if prefix != row.key.prefix { return prefix < row.key.prefix ? -1 : 1 }
        return Row.compare(self[index], row)
    }

    /// Returns the rows after some have been removed and then others inserted, both in order.
    ///
    /// The method ignores rows to remove that aren't there. Inserted rows replace others at their
    /// places.
    func edited(removing removals: ArraySlice<Row>, inserting insertions: ArraySlice<Row>) -> Self {
        var result = RowColumns()
        result.reserveCapacity(count + insertions.count)
        var next = 0
        var (removal, insertion) = (removals.startIndex, insertions.startIndex)
        while removal < removals.endIndex || insertion < insertions.endIndex {
            // If a row is removed and inserted, the removal is first.
            let isInsertion =
                insertion < insertions.endIndex
                && (removal == removals.endIndex
                    || Row.areInOrder(insertions[insertion], removals[removal]))
            let row = isInsertion ? insertions[insertion] : removals[removal]
            let index = firstIndex(from: next, notBefore: row)
            result.append(self, next..<index)
            next = index < count && compare(index, row) == 0 ? index + 1 : index
            if isInsertion {
                result.append(row)
                insertion += 1
            } else {
                removal += 1
            }
        }
        result.append(self, next..<count)
        return result
    }

    func summary(of indices: Range<Int>, _ combining: Payload.Combining) -> Payload.Summary {
        indices.reduce(Payload.emptySummary) {
            Payload.combine($0, Payload.summary(of: payloads[$1]), combining)
        }
    }
}

extension Range<Int> {
    /// Returns the first number for which a condition holds, or the upper bound if there is none.
    ///
    /// The condition must hold for all numbers after that one.
    func partitionPoint(_ condition: (Int) -> Bool) -> Int {
        var (lower, upper) = (lowerBound, upperBound)
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            if condition(middle) { upper = middle } else { lower = middle + 1 }
        }
        return lower
    }
}
