#if canImport(CPostgres)
import FlatCache
import Foundation

extension ReplicationEngine {
    /// Creates the schema if necessary, takes over the replicated types, and loads the types that
    /// are loaded at the start.
    func attach(
        to cache: Cache,
        createTables: [@Sendable (Cache) -> Void]
    ) async throws(PostgresGraphError) -> CacheAccess {
        precondition(
            attachment == nil && !isAttaching,
            "A graph can be attached to one cache only."
        )
        isAttaching = true
        defer { isAttaching = false }
        pauseEnd = .now
        try createSchema(await configuration.address())
        for create in createTables { create(cache) }
        let source = ReplicationSource(self)
        let access = CacheAccess(source, to: cache)
        for table in tables {
            // The cache retains the loader, which mustn't retain the cache's state.
            table.addLoader(to: cache) { [weak self] keys in
                try await self?.rows(of: keys) ?? [:]
            }
        }
        let owned = tables.map { $0.takeOver(access) }
        attachment = Attachment(
            cache: cache,
            access: access,
            tokens: owned.map(\.token)
                + [access.add(source, of: tables.map { $0.type })]
        )
        monitor.count(leftOut: owned.map(\.leftOutCount))
        // The database alone determines the entities.
        removeAll(access)
        do throws(PostgresGraphError) {
            try await synchronize()
            return access
        } catch {
            // A part of the rows may be in memory, and grow old until the next attempt.
            removeAll(access)
            detach()
            throw error
        }
    }

    private func removeAll(_ access: CacheAccess) {
        access.write(.writing) { transaction in
            for table in tables { table.removeAll(in: transaction) }
        }
    }

    func detach() {
        for token in attachment?.tokens ?? [] { token.dispose() }
        attachment = nil
        setPosition(nil)
        session = nil
    }

    /// Creates what the schema lacks; a role without the right to do so needs nothing if the schema
    /// is complete.
    private func createSchema(_ address: String) throws(PostgresGraphError) {
        let session = try configuration.connect(address)
        let schema = configuration.schema
        let names = ["_history", "_log", "_horizons", "_versions"] + tables.map(\.name)
        let found = try session.run(
            """
            SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relname = ANY($2::text[])
            """,
            [SQLParameter(schema.plainName), .array(names)]
        )
        if found.integer(0, 0) < Int64(names.count) {
            do throws(PostgresGraphError) {
                try session.runScript(
                    """
                    BEGIN;
                    SELECT pg_advisory_xact_lock(\(Schema.creationLock));
                    \(creationSQL)
                    COMMIT;
                    """
                )
            } catch {
                guard error.sqlState == "42501" else { throw error.outsideWrite }
                throw PostgresGraphError(
                    .schema,
                    """
                    The schema \(schema.name) lacks tables, and can't be changed by this role: run \
                    the statements of PostgresGraph.creationSQL as its owner. \(error.reason)
                    """,
                    sqlState: error.sqlState,
                    underlyingError: error
                )
            }
        }
        try checkColumns(session)
        try checkTriggers(session)
    }

    private func checkTriggers(_ session: Session) throws(PostgresGraphError) {
        for table in watched {
            let name = configuration.schema.trigger("update", type: table.name)
            let rows = try session.run(
                """
                SELECT count(*) FROM pg_trigger
                WHERE tgrelid = to_regclass($1) AND tgname = $2::name
                """,
                [SQLParameter(table.table), SQLParameter(name)]
            )
            if rows.integer(0, 0) == 0 { monitor.record(.unwatched(table: table.table)) }
        }
    }

    nonisolated var creationSQL: String {
        configuration.schema.creation
            + tables.map {
                configuration.schema.creation(ofTable: $0.name, identifier: $0.column)
            }.joined()
    }

    private func checkColumns(_ session: Session) throws(PostgresGraphError) {
        for table in tables {
            let rows = try session.run(
                """
                SELECT format_type(a.atttypid, a.atttypmod) FROM pg_attribute a
                JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = $1 AND c.relname = $2 AND a.attname = 'id'
                """,
                [SQLParameter(configuration.schema.plainName), SQLParameter(table.name)]
            )
            guard rows.count == 1, rows.text(0, 0) == table.column.rawValue else {
                throw PostgresGraphError(
                    .schema,
                    """
                    The identifiers of the table \(table.name) are \
                    \(rows.count == 1 ? rows.text(0, 0) : "missing"), and those of \(table.type) \
                    \(table.column.rawValue).
                    """
                )
            }
        }
    }

    // MARK: Reading for the cache

    /// Imports the rows of keys, of any types, and returns them.
    ///
    /// A key that can't be encoded has no row. Memory doesn't keep all rows of a limited type.
    @discardableResult
    nonisolated func rows(
        of keys: [CacheKey]
    ) async throws(PostgresGraphError) -> [CacheKey: ReadRow] {
        var ids: [String: Set<String>] = [:]
        for key in keys {
            guard let table = tables.first(where: { $0.typeIdentifier == key.typeIdentifier }),
                let id = try? table.text(of: key)
            else { continue }
            ids[table.name, default: []].insert(id)
        }
        let found = try await synchronize(reading: ids).rows.map { $0.find(keys) }
        return found.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }

    /// Returns the error of a row that memory lacks because it can't be decoded.
    func failure(of key: CacheKey) -> PostgresGraphError? {
        tables.first { $0.typeIdentifier == key.typeIdentifier }?.failure(of: key)
    }

    // MARK: Cleaning

    /// Deletes some of the records that every node has imported or could have imported an hour ago,
    /// unless another node has done so within the last minute.
    ///
    /// A record's time doesn't decide, since its transaction may commit long afterwards.
    ///
    /// - Returns: `true` if there may be more records to delete.
    @discardableResult
    func clean(afterPause pause: Duration = .seconds(60)) -> Bool {
        guard let session, lastCleaning + pause <= .now else { return false }
        let name = configuration.schema.name
        let isOld = "taken < clock_timestamp() - interval '\(Self.retention)'"
        do throws(PostgresGraphError) {
            let lock = "SELECT pg_try_advisory_xact_lock(\(Schema.cleaningLock))"
            let begun = try session.pipeline([Step("BEGIN"), Step(lock)])
            if try !begun[1].get().flag(0, 0) {
                try session.run("ROLLBACK")
                lastCleaning = .now
                return false
            }
            let deleted = try session.pipeline([
                Step(
                    """
                    INSERT INTO \(name)._horizons (xid)
                    SELECT pg_snapshot_xmin(pg_current_snapshot()) WHERE NOT EXISTS (
                        SELECT 1 FROM \(name)._horizons
                        WHERE taken > clock_timestamp() - interval '50 seconds')
                    """
                ),
                Step(
                    """
                    UPDATE \(name)._history SET deleted = old.xid
                    FROM (SELECT max(xid) AS xid FROM \(name)._horizons WHERE \(isOld)) AS old
                    WHERE old.xid > deleted
                    """
                ),
                Step(
                    """
                    WITH deleted AS (
                        DELETE FROM \(name)._log WHERE ctid = ANY(ARRAY(
                            SELECT ctid FROM \(name)._log
                            WHERE xid < (SELECT deleted FROM \(name)._history)
                            LIMIT \(Self.deletedAtATime)))
                        RETURNING 1)
                    SELECT count(*) FROM deleted
                    """
                ),
                Step(
                    """
                    DELETE FROM \(name)._horizons
                    WHERE \(isOld) AND xid < (SELECT deleted FROM \(name)._history)
                    """
                ),
                Step("COMMIT"),
            ])
            for result in deleted { _ = try result.get() }
            if try deleted[2].get().integer(0, 0) == Self.deletedAtATime { return true }
        } catch {
            if error.kind == .disconnected {
                disconnect(error)
            } else {
                monitor.record(.cleaningFailed(error))
                _ = try? session.run("ROLLBACK")
            }
        }
        lastCleaning = .now
        return false
    }

    /// The number of records that are deleted between two imports.
    private static let deletedAtATime: Int64 = 10_000

    /// The time for which a node may be away without reading all rows of memory again.
    private static let retention = "1 hour"
}

/// The participant by which a cache asks a graph for rows.
final class ReplicationSource: EntitySource {
    private let engine: ReplicationEngine

    init(_ engine: ReplicationEngine) { self.engine = engine }

    func restore(_ keys: [CacheKey]) async throws {
        try await engine.rows(of: keys)
    }

    func restoreResponse<Response: Sendable>(of request: String, as type: Response.Type) async {}
}
#endif
