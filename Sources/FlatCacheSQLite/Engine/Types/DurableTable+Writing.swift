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
        if !changes.isEmpty { encode(changes, try entitiesOfResponses(changes)) }
        try writeEncoded(transaction)
    }

    /// Encodes changes.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - entities: The entities of the responses to write. The rows of others are deleted.
    private func encode(
        _ changes: EntityChanges<Value>,
        _ entities: [RowIdentifier: [UInt8]]
    ) {
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
        let needsTypes = needsTypes
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
                if needsTypes {
                    guard let listed = entities[identifier] else {
                        encoded.removed.append(identifier)
                        continue
                    }
                    stamp = listed
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
                    statement.bind(details.whole, at: first + 5)
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

    func delete(_ identifiers: [RowIdentifier]) throws(SQLiteGraphError) {
        let delete = try database.statement(sql.delete)
        for identifier in identifiers { try delete.run(identifier) }
    }
}
#endif
