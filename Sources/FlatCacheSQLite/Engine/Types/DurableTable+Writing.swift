#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import FlatCacheRows

extension DurableTable {
    func write(
        _ changes: any TypeChanges,
        _ transaction: NewTransaction
    ) throws(SQLiteGraphError) {
        guard let changes = changes as? EntityChanges<Value>, !changes.isEmpty || hasUses else {
            return
        }
        guard try isReadable() else {
            hasUnwrittenChanges = hasUnwrittenChanges || !changes.isEmpty
            return
        }
        // A value must not overwrite an undecodable row.
        try moveToQuarantine(undecodable)
        if !changes.isEmpty { encode(changes) }
        try writeEncoded(transaction)
    }

    private func encode(_ changes: EntityChanges<Value>) {
        let writer = RowWriter.take()
        // A local variable needs no checks of exclusive access.
        var encoded = EncodedChanges()
        encoded.isEmpty = false
        encoded.writer = writer
        encoded.time = changes.time ?? now
        encoded.removesAll = changes.taken.removesAll
        encoded.removedPrefixes = changes.removedPrefixes
        encoded.invalidatesAll = changes.taken.invalidatesAll
        encoded.removed = changes.taken.removed.compactMap(identifier(of:))
        if encoded.removesAll { unencodable = [] }
        if !unencodable.isEmpty { unencodable.subtract(encoded.removed) }
        encoded.invalidated = changes.taken.invalidated.compactMap(identifier(of:))
        encoded.invalidatedPrefixes = changes.taken.invalidatedPrefixes
        encoded.reserve(changes.entities.count)
        // A row also has a header.
        let largest = database.maximumRowSize - 1_000
        let hasStamps = !changes.taken.stamps.isEmpty
        for entity in changes.entities {
            let start = writer.bytes.count
            var row: RowIdentifier?
            do {
                let identifier = try form.encode(entity.value.id)
                row = identifier
                var stamp: [UInt8]?
                if hasStamps, let own = changes.taken.stamps[entity.value.id] {
                    stamp = try durable.stampForm?.encode(own)
                }
                try encode(entity.value, writer)
                let size = writer.bytes.count - start + identifier.size + (stamp?.count ?? 0)
                if size > largest { throw RowError.tooLarge(size, limit: largest) }
                encoded.append(identifier, valueFrom: start, entity.freshness, stamp)
                if !unencodable.isEmpty { unencodable.remove(identifier) }
            } catch {
                if let row { unencodable.insert(row) }
                writer.removeAll(from: start)
                reportUnencodable(entity.value.id, error)
            }
        }
        encoded.sort()
        self.encoded = encoded
    }

    private func encode(_ value: Value, _ writer: RowWriter) throws {
        if usesWriter { return try writer.writeRow(value) }
        try coder.encode(value).withUnsafeBytes { writer.append(contentsOf: $0) }
    }

    /// Returns the encoded identifier of an entity, or `nil` if it can't be encoded.
    func identifier(of id: Value.ID) -> RowIdentifier? {
        do {
            return try form.encode(id)
        } catch {
            reportUnencodable(id, error)
            return nil
        }
    }

    private func reportUnencodable(_ id: Value.ID, _ error: any Error) {
        errors.list.append(
            SQLiteGraphError(
                .unencodable,
                file: database.path,
                key: durable.state == nil ? CacheKey(Value.self, id: id) : nil,
                reason: "\(durable.state?.describe(id) ?? "The value") can't be encoded: \(error)",
                underlyingError: error
            )
        )
    }

    private func writeEncoded(_ transaction: NewTransaction) throws(SQLiteGraphError) {
        if encoded.removesAll {
            try database.statement(sql.deleteAll).run()
        } else {
            let prefixes = encoded.removedPrefixes
            let lists = try identifiersOfLists(withPrefixes: prefixes)
            let removed = encoded.removed + lists
            try delete(removed)
        }
        try deleteQuarantined()
        if encoded.invalidatesAll {
            let statement = try database.statement(sql.invalidateAll)
            statement.bind(encoded.time.milliseconds, at: 1)
            try statement.run()
        }
        let time = encoded.time
        encoded.invalidated += try identifiers(withPrefixes: encoded.invalidatedPrefixes)
        // The record must not list missing rows, since others would take them for stored ones.
        encoded.invalidated = try run(sql.invalidate, time.milliseconds, for: encoded.invalidated)
        // A limit must not prefer rows that were loaded before this flush to the rows that it
        // writes.
        let timeOfLoads = (encoded.isEmpty ? now : time).milliseconds
        try run(sql.use, timeOfLoads - 1, for: Array(usedRows))
        try writeRows()
        try enforceLimit()
        try enforceMaximumCounts()
        // The memory of the encoded values serves the next table.
        encoded.writer?.giveBack()
        encoded.writer = nil
        if encoded.isEmpty { return }
        try database.log.append(record(of: transaction))
    }

    private func record(of transaction: NewTransaction) -> TransactionRecord {
        var scope: TransactionRecord.Scope = []
        if encoded.removesAll { scope.insert(.removesAll) }
        // The rows that become stale aren't listed.
        if encoded.invalidatesAll { scope.insert(.storesUnlisted) }
        var stored = encoded.rows.map(\.identifier)
        if !encoded.invalidated.isEmpty { stored = (stored + encoded.invalidated).sorted() }
        return TransactionRecord(
            number: transaction.number,
            token: transaction.token,
            type: name,
            written: encoded.time,
            scope: scope,
            stored: stored,
            removed: encoded.removesAll ? [] : encoded.removed.sorted(),
            removedPrefixes: encoded.removedPrefixes
        ).limited(toBytes: transaction.listLimit)
    }

    /// Runs a statement with a time for each identifier; returns the identifiers of the rows that
    /// it changed.
    @discardableResult
    private func run(
        _ sql: String,
        _ time: Int64,
        for identifiers: [RowIdentifier]
    ) throws(SQLiteGraphError) -> [RowIdentifier] {
        if identifiers.isEmpty { return [] }
        let statement = try database.statement(sql)
        var changed: [RowIdentifier] = []
        for identifier in identifiers {
            try statement.run(time, identifier)
            if database.changedRows > 0 { changed.append(identifier) }
        }
        return changed
    }

    private func writeRows() throws(SQLiteGraphError) {
        let encoded = encoded
        guard let writer = encoded.writer, !encoded.rows.isEmpty else { return }
        let bytes = writer.bytes.buffer
        var next = 0
        for (sql, count) in [(sql.upsertBatch, TableStatements.batch), (sql.upsert, 1)] {
            guard encoded.rows.count - next >= count else { continue }
            let statement = try database.statement(sql)
            statement.bind(encoded.time.milliseconds, at: 1)
            // The bound values must not outlive the memory of the writer.
            defer { statement.clearParameters() }
            while encoded.rows.count - next >= count {
                for place in 0..<count {
                    let row = encoded.rows[next + place]
                    let first = 2 + Int32(place) * TableStatements.rowParameters
                    statement.bind(row.identifier, at: first)
                    let value = UnsafeRawBufferPointer(rebasing: bytes[row.value])
                    statement.bind(value, isText: storesText, at: first + 1)
                    guard !encoded.details.isEmpty else { continue }
                    let details = encoded.details[row.number]
                    statement.bind(details.stored, at: first + 2)
                    statement.bind(details.stale, at: first + 3)
                    statement.bind(details.stamp, at: first + 4)
                }
                try statement.run()
                next += count
            }
        }
    }

    func endWriting(isCommitted: Bool) {
        encoded.writer?.giveBack()
        encoded = EncodedChanges()
        mergedRows = []
        guard isCommitted else {
            // Old rows may have returned.
            ageingPause = .min ..< .min
            return forgetSizes()
        }
        usedRows = []
        undecodable = []
    }

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
            try delete(excess)
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

    private func delete(_ identifiers: [RowIdentifier]) throws(SQLiteGraphError) {
        let delete = try database.statement(sql.delete)
        for identifier in identifiers { try delete.run(identifier) }
    }

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
        try delete(old)
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
