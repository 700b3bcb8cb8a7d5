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

    init() {}

    init(_ rows: ArraySlice<Row>) {
        prefixes = rows.map(\.key.prefix)
        if rows.contains(where: { $0.key.rest != nil }) { rests = rows.map(\.key.rest) }
        ids = rows.map(\.id)
        payloads = rows.map(\.payload)
    }

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

    /// A row that an edit removes or inserts.
    struct Edit {
        let row: Row
        let isInsertion: Bool
    }

    /// Returns the rows after a range of edits, which must be in the order of their rows.
    ///
    /// The method ignores rows to remove that aren't there. Inserted rows replace others at their
    /// places.
    func edited(by edits: [Edit], _ range: Range<Int>) -> Self {
        var result = RowColumns()
        result.reserveCapacity(count + range.count)
        var next = 0
        for edit in edits[range] {
            let index = firstIndex(from: next, notBefore: edit.row)
            result.append(self, next..<index)
            next = index < count && compare(index, edit.row) == 0 ? index + 1 : index
            if edit.isInsertion { result.append(edit.row) }
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
