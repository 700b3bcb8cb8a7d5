#if canImport(CPostgres)
import FlatCache
import Foundation

extension ReplicationEngine {
    /// The number of rows that a resynchronization reads and publishes at a time.
    private static var chunkSize: Int { 1_000 }

    /// The number of rows that a statement of an import reads.
    private static var readAtATime: Int { 10_000 }

    /// The number of records above which memory is read again instead.
    private static var recordLimit: Int { 100_000 }

    /// Imports the changes since the last import, and the rows of some keys, as one commit.
    func importChanges(
        reading keys: [String: Set<String>],
        _ address: Result<String, PostgresGraphError>?
    ) throws(PostgresGraphError) -> Import {
        guard let attachment, !attachment.access.isClosed else {
            throw PostgresGraphError(.disconnected, "The graph isn't attached to a cache.")
        }
        let session = try connected(address)
        do throws(PostgresGraphError) {
            let found = try importChanges(reading: keys, session, attachment.access)
            setPosition(found.position)
            mustCatchUp = false
            pause = .zero
            monitor.recordImport(at: found.position.time, of: found.recordCount)
            return found
        } catch {
            if error.kind == .otherHistory {
                self.session = nil
            } else if session.isBroken || error.kind == .disconnected {
                disconnect(error)
            } else {
                // The transaction may be open.
                do throws(PostgresGraphError) {
                    try session.run("ROLLBACK")
                } catch {
                    disconnect(error)
                }
            }
            throw error
        }
    }

    private func importChanges(
        reading keys: [String: Set<String>],
        _ session: Session,
        _ access: CacheAccess
    ) throws(PostgresGraphError) -> Import {
        let (found, records) = try beginReading(session)
        guard let records else {
            // Memory shows another history, or records are missing.
            try resynchronize(session, access, also: keys)
            let statements = tables.map { (table: $0, ids: Array(keys[$0.name] ?? [])) }
            let rows = try read(statements, session)
            if position != nil {
                monitor.record(.resynchronized(duration: found.time.duration(to: .now)))
            }
            return Import(position: found, rows: rows)
        }
        var statements: [(table: any AnyReplicatedTable, ids: [String])] = []
        for table in tables {
            var ids = keys[table.name] ?? []
            for record in records where record.type == table.name {
                // A record without keys concerns all rows.
                let changed =
                    record.stored.flatMap { stored in record.removed.map { stored + $0 } }
                ids.formUnion(table.concerned(changed, access))
                if changed == nil, table.loading == .atStart {
                    ids.formUnion(try allIDs(of: table, session))
                }
            }
            statements.append((table, Array(ids)))
        }
        let rows = try read(statements, session)
        publish(rows, records, access)
        separateLoads(of: records, access)
        if !records.isEmpty {
            monitor.record(
                .imported(records: records.count, duration: found.time.duration(to: .now))
            )
        }
        return Import(position: found, rows: rows, recordCount: records.count)
    }

    /// Reads rows, and ends the transaction.
    ///
    /// No statement reads so many rows that it takes longer than statements may.
    private func read(
        _ statements: [(table: any AnyReplicatedTable, ids: [String])],
        _ session: Session
    ) throws(PostgresGraphError) -> [TypeRows] {
        var parts: [(table: any AnyReplicatedTable, ids: [String])] = []
        for (table, ids) in statements {
            for start in stride(from: 0, to: ids.count, by: Self.readAtATime) {
                let end = min(start + Self.readAtATime, ids.count)
                parts.append((table, Array(ids[start..<end])))
            }
        }
        let steps = parts.map { select(from: $0.table, $0.ids) } + [Step("COMMIT")]
        let results = try session.pipeline(steps)
        var rows: [TypeRows] = []
        for (part, result) in zip(parts, results) {
            rows.append(part.table.decode(try result.get().storedRows, requested: part.ids))
        }
        _ = try results.last?.get()
        return rows
    }

    /// Begins a transaction that reads, and returns the position of its snapshot, and the records
    /// that memory doesn't show yet, or `nil` if it must be read again.
    private func beginReading(
        _ session: Session
    ) throws(PostgresGraphError) -> (Position, [LogRecord]?) {
        let name = configuration.schema.name
        // A transaction of its own, after the commit of the write: in that transaction, it would
        // take a lock of the whole server until the log is on disk.
        var steps = mustNotify ? [Step("NOTIFY \(name)", isSynchronized: true)] : []
        let first = steps.count
        steps += [
            Step("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"),
            Step(
                """
                SELECT pg_current_snapshot(), incarnation, deleted, clock_timestamp(),
                    history.tableoid, pg_current_wal_flush_lsn(), latest.xid, latest.write,
                    pg_current_wal_flush_lsn() < $1::pg_lsn OR $2::xid8 >= deleted
                        AND NOT EXISTS (SELECT 1 FROM \(name)._log WHERE write = $3::uuid)
                FROM \(name)._history AS history LEFT JOIN (
                    SELECT xid, write FROM \(name)._log ORDER BY xid DESC LIMIT 1
                ) AS latest ON true
                """,
                [
                    SQLParameter(position?.flushed ?? "0/0"),
                    SQLParameter(position?.latestRecord.map { "\($0.transaction)" }),
                    SQLParameter(position?.latestRecord?.write),
                ],
                isPrepared: true
            ),
        ]
        if let position { steps.append(records(since: position)) }
        let results = try session.pipeline(steps)
        if case .success = results[0] { mustNotify = false }
        _ = try results[first].get()
        let state = try results[first + 1].get()
        guard state.count == 1, let cursor = TransactionSnapshot(state.text(0, 0)),
            let deleted = UInt64(state.text(0, 2)), let history
        else {
            throw PostgresGraphError(.schema, "The schema \(name) has no history.")
        }
        guard state.text(0, 1) == history.incarnation, history.isOf(table: state.text(0, 4)) else {
            // Another node has renewed the history since this connection was opened, or a dump has
            // replaced the schema.
            throw PostgresGraphError(.otherHistory, "The history of the database has changed.")
        }
        var found = Position(
            cursor: cursor,
            history: history,
            serverTime: state.text(0, 3),
            time: .now,
            flushed: state.text(0, 5),
            latestRecord: UInt64(state.text(0, 6)).map { ($0, state.text(0, 7)) }
        )
        guard let position, position.history == history, position.cursor.xmin >= deleted else {
            return (found, nil)
        }
        // An empty log is one that was cleaned.
        found.latestRecord = found.latestRecord ?? position.latestRecord
        if state.flag(0, 8) {
            // The files of the cluster are older than memory, such as those of a snapshot, or the
            // log was truncated. The numbers of transactions don't show that: a crash loses those
            // that only notified. Nor does the server's log, if other nodes have written since.
            try session.run("ROLLBACK")
            try configuration.renew(session, where: "incarnation = '\(history.incarnation)'")
            throw PostgresGraphError(.otherHistory, "The database was restored.")
        }
        let rows = try results[first + 2].get()
        if rows.count > Self.recordLimit { return (found, nil) }
        let records = (0..<rows.count).map { row in
            LogRecord(
                type: rows.text(row, 0),
                stored: rows.array(row, 1),
                removed: rows.array(row, 2),
                isRepeated: rows.flag(row, 3)
            )
        }
        return (found, records)
    }

    /// Returns the query of the records that a position doesn't show.
    private func records(since position: Position) -> Step {
        let log = "\(configuration.schema.name)._log"
        // Two queries: with OR or IN, the server would scan the whole log.
        var sql = """
            SELECT type, stored, removed, false FROM \(log)
            WHERE xid >= pg_snapshot_xmax($1::pg_snapshot)
            UNION ALL SELECT type, stored, removed, false FROM \(log)
            WHERE xid = ANY(ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot)))
            """
        var parameters: [SQLParameter] = [SQLParameter(position.cursor.description)]
        if mustCatchUp {
            // After a crash, the server may use numbers again that it had used before only in
            // transactions that wrote nothing, but that snapshots had shown.
            sql += """
                 UNION ALL SELECT type, stored, removed, true FROM \(log)
                WHERE written >= $2::timestamptz - interval '1 minute'
                """
            parameters.append(SQLParameter(position.serverTime))
        }
        sql += " LIMIT \(Self.recordLimit + 1)"
        return Step(sql, parameters, isPrepared: true)
    }

    private func select(from table: any AnyReplicatedTable, _ ids: [String]) -> Step {
        Step(
            """
            SELECT id, version, form, value FROM \(configuration.schema.table(table.name))
            WHERE id = ANY($1::\(table.column.rawValue)[])
            """,
            [.array(ids)],
            isPrepared: true
        )
    }

    private func allIDs(
        of table: any AnyReplicatedTable,
        _ session: Session
    ) throws(PostgresGraphError) -> [String] {
        let rows = try session.run("SELECT id FROM \(configuration.schema.table(table.name))")
        return (0..<rows.count).map { rows.text($0, 0) }
    }

    private func publish(
        _ rows: [TypeRows],
        _ records: [LogRecord],
        _ access: CacheAccess
    ) {
        report(rows.flatMap(\.errors))
        let watchedRecords = watched.map { table in
            (table, records.filter { $0.type == table.name })
        }.filter { !$0.1.isEmpty }
        if rows.allSatisfy({ $0.count == 0 }), watchedRecords.isEmpty { return }
        access.write(.writing) { transaction in
            for rows in rows { rows.publish(transaction) }
            for (table, records) in watchedRecords { table.withdraw(records, transaction) }
        }
    }

    /// Makes later loads of changed rows read them again: the present ones may be older.
    private func separateLoads(of records: [LogRecord], _ access: CacheAccess) {
        var keys: Set<CacheKey> = []
        var types: Set<ObjectIdentifier> = []
        for table in tables {
            for record in records where record.type == table.name {
                guard let stored = record.stored, let removed = record.removed else {
                    types.insert(table.typeIdentifier)
                    continue
                }
                keys.formUnion((stored + removed).compactMap(table.key))
            }
        }
        if keys.isEmpty, types.isEmpty { return }
        access.separateLoads { keys.contains($0) || types.contains($0.typeIdentifier) }
    }

    private func report(_ errors: [PostgresGraphError]) {
        for error in errors { monitor.record(.undecodable(error)) }
    }

    // MARK: Whole tables

    /// Reads the rows that memory holds again, and all rows of the types that are loaded at the
    /// start.
    private func resynchronize(
        _ session: Session,
        _ access: CacheAccess,
        also keys: [String: Set<String>]
    ) throws(PostgresGraphError) {
        let isFirst = position == nil
        // A large table takes its time, and so do the observers of its entities.
        try session.runScript(
            """
            SET LOCAL statement_timeout = 0;
            SET LOCAL idle_in_transaction_session_timeout = 0;
            SET LOCAL enable_seqscan = on;
            """
        )
        for table in tables {
            var ids = Set(isFirst ? [] : table.concerned(nil, access))
            ids.formUnion(keys[table.name] ?? [])
            if table.loading == .atStart {
                if isFirst {
                    try load(table, session, access)
                } else {
                    ids.formUnion(try allIDs(of: table, session))
                }
            }
            let all = Array(ids)
            for start in stride(from: 0, to: all.count, by: Self.chunkSize) {
                let some = Array(all[start..<min(start + Self.chunkSize, all.count)])
                let step = select(from: table, some)
                let found = try session.run(step.sql, step.parameters)
                publish([table.decode(found.storedRows, requested: some)], [], access)
            }
        }
        guard !isFirst, !watched.isEmpty else { return }
        access.write(.writing) { transaction in
            for table in watched {
                let record = LogRecord(type: table.name, stored: nil, removed: nil)
                table.withdraw([record], transaction)
            }
        }
    }

    /// Loads all rows of a type.
    private func load(
        _ table: any AnyReplicatedTable,
        _ session: Session,
        _ access: CacheAccess
    ) throws(PostgresGraphError) {
        let query = """
            SELECT id::text, version, form, value
            FROM \(configuration.schema.table(table.name))
            """
        var chunk = CopiedRows()
        try session.copy(query) { bytes throws(PostgresGraphError) in
            chunk.append(bytes)
            // Less than a socket's buffer holds, so that the server goes on meanwhile.
            if chunk.size >= 100_000 { store(&chunk) }
        }
        store(&chunk)

        func store(_ chunk: inout CopiedRows) {
            let rows = chunk.withRows { table.decode($0, requested: []) }
            report(rows.errors)
            access.write(.restoring) { rows.insert($0) }
            chunk = CopiedRows()
        }
    }
}
#endif
