#if canImport(SQLite3) || canImport(CSQLite)
public import FlatCache
import FlatCacheRows

extension DurableTable {
    struct Undecodable {
        let identifier: RowIdentifier
        let error: any Error
        /// The time of the row's latest use, in milliseconds since 1970.
        var used: Int64?
    }

    func readAll() throws(SQLiteGraphError) -> ReadRows {
        var rows: [StoredRow<Value>] = []
        if let names = durable.state?.names {
            rows = try read(names + prefixedIDs())
        } else if try isReadable() {
            let now = now
            let select = try database.statement(sql.selectAll)
            defer { select.reset() }
            while try select.step() {
                let identifier = select.identifier(0)
                do {
                    rows.append(try row(select, identifier, now))
                } catch {
                    noteUndecodable(select, identifier, error)
                }
            }
        }
        return restoring(rows, related: related(to: rows))
    }

    /// Returns rows that a cache stores unless it has values of their entities.
    func restoring(
        _ rows: [StoredRow<Value>],
        related: [CacheKey] = [],
        reached: [ReachedEntity] = []
    ) -> ReadRows {
        ReadRows(
            count: rows.count,
            restore: { [self] transaction in
                transaction.prepareToInsert(rows.count, of: Value.self)
                restore(rows, transaction)
            },
            related: related,
            reached: reached
        )
    }

    /// Returns the keys of the entities to load with states at the start.
    private func related(to rows: [StoredRow<Value>]) -> [CacheKey] {
        durable.state.map { state in rows.flatMap { state.related($0.value) } } ?? []
    }

    func read(_ keys: [CacheKey]) throws(SQLiteGraphError) -> ReadRows {
        let ids = keys.compactMap { $0.id(as: Value.self) }
        let rows = try read(ids)
        unread.subtract(Set(ids).subtracting(rows.lazy.map(\.value.id)))
        return restoring(rows)
    }

    /// Reads and decodes the rows of entities, in the order of the table.
    ///
    /// Rows that can't be decoded move to the quarantine after the read.
    ///
    /// - Parameters:
    ///   - ids: The identifiers of the entities.
    ///   - countsAsUse: `true` if the rows count as used.
    func read(
        _ ids: some Sequence<Value.ID>,
        countsAsUse: Bool = true
    ) throws(SQLiteGraphError) -> [StoredRow<Value>] {
        guard !needsTypes, try isReadable() else { return [] }
        let now = now
        // SQLite finds successive rows in the same pages.
        let identifiers = ids.filter(isKept).compactMap(identifier(of:)).sorted()
        var rows: [StoredRow<Value>] = []
        rows.reserveCapacity(identifiers.count)
        for identifier in identifiers {
            let found = try read(identifier, countsAsUse: countsAsUse) {
                try row($0, identifier, now)
            }
            if let found { rows.append(found) }
        }
        return rows
    }

    /// Reads and decodes a row, or returns `nil` if there is none or it can't be decoded.
    func read<Row>(
        _ identifier: RowIdentifier,
        countsAsUse: Bool,
        decode: (Statement) throws -> Row
    ) throws(SQLiteGraphError) -> Row? {
        let select = try database.statement(sql.select)
        select.bind(identifier, at: 1)
        defer { select.reset() }
        guard try select.step() else { return nil }
        do {
            let row = try decode(select)
            if countsAsUse, durable.limit != .none { usedRows.insert(identifier) }
            return row
        } catch {
            noteUndecodable(select, identifier, error)
            return nil
        }
    }

    /// Notes that the present row of a statement can't be decoded.
    private func noteUndecodable(
        _ select: Statement,
        _ identifier: RowIdentifier,
        _ error: any Error
    ) {
        let row = Undecodable(identifier: identifier, error: error, used: select.number(5))
        errors.list.append(decodingError(of: row))
        undecodable.append(row)
    }

    func isReadable() throws(SQLiteGraphError) -> Bool {
        guard isCurrent, try elements?.isReadable() ?? true else { return false }
        if let version = try version(), version != durable.version { refuse(version) }
        return isCurrent
    }

    /// Decodes the present row of a statement.
    private func row(
        _ select: Statement,
        _ identifier: RowIdentifier,
        _ now: WallTime
    ) throws -> StoredRow<Value> {
        var value = try coder.decode(Value.self, from: select.bytes(1))
        if let state = durable.state { value = state.named(value, try form.decode(identifier)) }
        guard try form.encode(value.id) == identifier else {
            throw RowError.otherEntity
        }
        let freshness = StoredFreshness(
            age: select.isNull(2) ? nil : now.age(of: select.number(2)),
            staleFor: select.isNull(3) ? nil : now.age(of: select.number(3)),
            wholeAge: select.isNull(6) ? nil : wholeAge(select.number(6), now)
        )
        let stamp = stamp(select, value.id)
        return StoredRow(value: value, freshness: freshness, stamp: stamp, used: select.number(5))
    }

    private func wholeAge(_ stored: Int64, _ now: WallTime) -> Duration {
        stored == -1 ? StoredFreshness.noWholeValue : now.age(of: stored)
    }

    /// Decodes the modification stamp in the present row of a statement.
    ///
    /// If a stamp can't be decoded, the value is read without it. Only the first such stamp is
    /// reported, since no stamp can be decoded after a change of their type.
    private func stamp(_ select: Statement, _ id: Value.ID) -> (any Comparable & Sendable)? {
        guard let stampForm = durable.stampForm, !select.isNull(4) else { return nil }
        do {
            return try stampForm.decode(select.bytes(4))
        } catch {
            if hasStampError { return nil }
            hasStampError = true
            let failure = SQLiteGraphError(
                .undecodable,
                file: database.path,
                key: CacheKey(Value.self, id: id),
                reason: """
                    The modification stamp of a row of "\(name)" can't be decoded. The graph \
                    ignores it, and does so with further ones without a report: \(error)
                    """,
                underlyingError: error
            )
            errors.list.append(failure)
            return nil
        }
    }

    func endReading() {
        // If the move fails, or if a transaction has begun, the next flush moves them.
        if undecodable.isEmpty || database.isInTransaction { return }
        do throws(SQLiteGraphError) {
            // A read doesn't wait for the lock of another connection.
            try database.transactionWithoutWaiting { () throws(SQLiteGraphError) in
                try moveToQuarantine(undecodable)
            }
            undecodable = []
        } catch {
            if error.kind != .locked { errors.list.append(error) }
        }
    }

    /// Moves rows to the quarantine, as part of a transaction, unless they were written since they
    /// were read.
    func moveToQuarantine(_ rows: [Undecodable]) throws(SQLiteGraphError) {
        if rows.isEmpty { return }
        let insert = try database.statement(sql.quarantine)
        let delete = try database.statement(sql.delete)
        for row in rows {
            let version = Int64(durable.version)
            try insert.run(version, cause(of: row), now.seconds, row.identifier, row.used)
            if database.changedRows > 0 { try delete.run(row.identifier) }
        }
        try deleteResponses(containing: rows.map(\.identifier))
    }

    /// Returns the cause that the quarantine contains for a row.
    func cause(of row: Undecodable) -> String {
        coder is any ConcealingRowCoder && !(row.error is RowError)
            ? "\(Swift.type(of: row.error))" : "\(row.error)"
    }

    func decodingError(of row: Undecodable, isUpgrade: Bool = false) -> SQLiteGraphError {
        let id = try? form.decode(row.identifier)
        let subject = id.flatMap { durable.state?.describe($0) } ?? "A row of \"\(name)\""
        let advice =
            coder is any ConcealingRowCoder
            ? "If the key was wrong, call restoreQuarantinedRows() with the right one."
            : """
            If you have changed \(Value.self), increase its version and add \
            .upgrade(from: \(durable.version)). If you have changed the coder, use the former one.
            """
        let cause = "\(row.error)"
        let sentence = cause.hasSuffix(".") ? cause : cause + "."
        let isChanged = !isUpgrade && durable.state == nil
        return SQLiteGraphError(
            .undecodable,
            file: database.path,
            // The key of a state means nothing to a client.
            key: durable.state == nil ? id.map { CacheKey(Value.self, id: $0) } : nil,
            reason:
                "\(subject) can't be \(isUpgrade ? "upgraded" : "decoded") and moves to the quarantine: "
                + (isChanged ? "\(sentence) \(advice)" : cause),
            underlyingError: row.error
        )
    }

    /// Stores the values of rows in a cache; returns for each row whether its value was stored.
    @discardableResult
    func restore(_ rows: [StoredRow<Value>], _ transaction: ParticipantTransaction) -> [Bool] {
        var rows = rows
        if isTimed {
            for index in rows.indices { rows[index].freshness = freshness(of: rows[index]) }
        }
        let areStored = durable.insertRows(rows, transaction)
        if !unread.isEmpty {
            for (row, isStored) in zip(rows, areStored) where isStored {
                unread.remove(row.value.id)
            }
        }
        return areStored
    }

    /// Returns the freshness of a row's value in memory.
    ///
    /// If the row was written without the time of its value, because the value had no lifetimes
    /// then, the value is as old as the row, or as its latest use if the type has a limit.
    func freshness(of row: StoredRow<Value>) -> StoredFreshness {
        var freshness = row.freshness
        if isTimed, freshness.age == nil { freshness.age = now.age(of: row.used) }
        return freshness
    }
}

@usableFromInline
struct StoredRow<Value: Sendable>: Sendable {
    @usableFromInline let value: Value
    @usableFromInline var freshness: StoredFreshness
    @usableFromInline let stamp: (any Comparable & Sendable)?
    /// The time at which the row was loaded or written last, in milliseconds since 1970.
    let used: Int64
}

extension StoredRow where Value: Identifiable, Value.ID: Sendable {
    /// Stores the values of rows whose entities have none; returns for each row whether its value
    /// was stored.
    ///
    /// The function is specialized in the client's module (row 32b of Benchmarks).
    @inlinable
    static func insert(_ rows: [StoredRow], _ transaction: ParticipantTransaction) -> [Bool] {
        transaction.insert(contentsOf: rows) { ($0.value, $0.freshness, stamp: $0.stamp) }
    }
}
#endif
