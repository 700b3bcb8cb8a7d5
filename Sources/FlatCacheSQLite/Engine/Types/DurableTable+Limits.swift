#if canImport(SQLite3) || canImport(CSQLite)

// These methods delete the rows that exceed the limits of a type, or the maximum numbers of lists.
extension DurableTable {
    /// Deletes the rows that exceed a limit, as part of a transaction.
    ///
    /// The rows are counted only if the rows that were written since the last count would exceed a
    /// limit if all of them were new.
    func enforceLimit() throws(SQLiteGraphError) {
        // The pause is a range, so that it ends if a clock that was ahead is set back.
        if !ageingPause.contains(now.milliseconds) { try deleteOldRows() }
        guard durable.limit.maximumSize != nil || durable.limit.maximumCount != nil else {
            return
        }
        let written = RowsSize(rows: encoded.rows.count, bytes: encoded.size)
        if let knownSize, reducedSize(for: knownSize + written) == nil {
            self.knownSize = knownSize + written
            return
        }
        var present = try size()
        if let goal = reducedSize(for: present) {
            var excess: [RowIdentifier] = []
            for row in try leastUsedRows() where !goal.contains(present) {
                excess.append(row.identifier)
                present = present - RowsSize(rows: 1, bytes: row.size)
            }
            try evict(excess)
        }
        knownSize = present
    }

    /// Returns the size to which rows of a size must be reduced, or `nil` if they exceed no limit.
    private func reducedSize(for size: RowsSize) -> RowsSize? {
        let limit = RowsSize(
            rows: durable.limit.maximumCount ?? .max,
            bytes: durable.limit.maximumSize ?? .max
        )
        if limit.contains(size) { return nil }
        return RowsSize(rows: limit.rows - limit.rows / 10, bytes: limit.bytes - limit.bytes / 10)
    }

    /// Deletes the least recently written lists above the maximum number for their prefix, as part
    /// of a transaction.
    ///
    /// The lists of one flush count as written at one time.
    ///
    /// - Parameter isFlush: `true` in a flush: prefixes without a written list are then skipped.
    func enforceMaximumCounts(isFlush: Bool = true) throws(SQLiteGraphError) {
        for lists in durable.state?.prefixes ?? [] {
            guard let maximum = lists.maximumCount,
                !isFlush || encoded.rows.contains(where: { isBounded($0.identifier, by: lists) })
            else { continue }
            let present = try leastUsedRows().map(\.identifier).filter {
                isBounded($0, by: lists)
            }
            let excess = present.count > maximum ? present.count - maximum + maximum / 10 : 0
            try delete(Array(present.prefix(excess)))
        }
    }

    /// Returns whether the row of a list counts for the maximum number of a prefix.
    private func isBounded(_ identifier: RowIdentifier, by lists: KeptLists) -> Bool {
        guard case .text(let name) = identifier, lists.contains(name) else { return false }
        return !(durable.state?.names?.contains { (try? form.encode($0)) == identifier } ?? false)
    }

    /// Returns whether the row of a list can be deleted because of a maximum number.
    func hasMaximumCount(_ identifier: RowIdentifier) -> Bool {
        durable.state?.prefixes.contains { lists in
            lists.maximumCount != nil && isBounded(identifier, by: lists)
        } ?? false
    }

    /// Forgets the size of the rows because others may have changed them.
    func forgetSizes() { knownSize = nil }

    var hasBounds: Bool { durable.limit != .none || boundsLists }

    /// `true` if the number of lists with a prefix has a maximum.
    var boundsLists: Bool {
        durable.state?.prefixes.contains { $0.maximumCount != nil } ?? false
    }

    /// Returns the rows from the least recently used one to the latest one.
    ///
    /// The rows are sorted by their ages, since the dates of rows that were written while the clock
    /// was wrong don't show the order.
    private func leastUsedRows() throws(SQLiteGraphError) -> [(
        identifier: RowIdentifier, size: Int
    )] {
        let history = try ClockHistory(of: database, at: now)
        var rows = try database.rows(sql.uses) { row in
            let used = row.real(2)
            return (
                identifier: row.identifier(0), size: Int(row.number(1)), used: used,
                age: history.age(of: used)
            )
        }
        rows.sort { $0.age == $1.age ? $0.used < $1.used : $0.age > $1.age }
        return rows.map { ($0.identifier, $0.size) }
    }

    /// Deletes the rows above the age or the staleness of the limit, as part of a transaction.
    func deleteOldRows() throws(SQLiteGraphError) {
        let ages = [durable.limit.maximumAge, durable.limit.maximumStaleness]
        guard let shortest = ages.compactMap({ $0 }).min() else { return }
        let pause = now.milliseconds - now.before(shortest / 10)
        ageingPause = now.milliseconds..<(now.milliseconds + max(0, pause))
        let history = try ClockHistory(of: database, at: now)
        let longest = ages.map { $0.map { $0 / .milliseconds(1) } ?? .infinity }
        let old = try database.rows(sql.dates) { row in
            let stored = row.real(1)
            var isOld = history.age(of: stored, longestGap: longest[0] / 10) > longest[0]
            if !isOld, !row.isNull(2) {
                let staleness = history.staleness(
                    since: row.real(2),
                    storedAt: stored,
                    longestGap: longest[1] / 10
                )
                isOld = staleness >= longest[1]
            }
            return isOld ? row.identifier(0) : nil
        }
        try evict(old)
    }

    private func evict(_ identifiers: [RowIdentifier]) throws(SQLiteGraphError) {
        try delete(identifiers)
        try deleteResponses(containing: identifiers)
    }
}

/// The number of some rows, and the total size of their encoded values.
struct RowsSize: Hashable, Sendable {
    var rows = 0
    var bytes = 0

    static func + (left: RowsSize, right: RowsSize) -> RowsSize {
        RowsSize(rows: left.rows + right.rows, bytes: left.bytes + right.bytes)
    }

    static func - (left: RowsSize, right: RowsSize) -> RowsSize {
        RowsSize(rows: left.rows - right.rows, bytes: left.bytes - right.bytes)
    }

    func contains(_ other: RowsSize) -> Bool { other.rows <= rows && other.bytes <= bytes }
}
#endif
