#if canImport(CPostgres)
import FlatCache
import Foundation

/// The reads and writes of one attempt of ``PostgresGraph/write(attempts:_:)``.
///
/// It's valid until the closure returns, and belongs to the task that runs the closure.
public final class GraphBatch {
    /// A row that the batch has read or written.
    private struct Row {
        /// The version that was read, or `nil` if there was no row or it wasn't read.
        var version: Int64?
        var isRead = false
        var change = Change.none
        /// A closure that returns the version in memory, or `nil` if memory lacks the row.
        var presentVersion: @Sendable (CacheAccess) -> Int64? = { _ in nil }

        /// `true` if the database has a row to change or to add.
        var isWritten: Bool {
            switch change {
            case .none: false
            case .removed: version != nil
            case .stored: true
            }
        }
    }

    private enum Change {
        case none, removed
        case stored(value: any Sendable, text: Result<String, PostgresGraphError>)
    }

    private let engine: ReplicationEngine
    private let access: CacheAccess
    private let tables: [ObjectIdentifier: any AnyReplicatedTable]
    private var rows: [CacheKey: Row] = [:]
    private var statements: [Step] = []
    private var hasEnded = false
    /// `true` if a row that was read has another version since.
    private(set) var isOutdated = false

    init(
        _ engine: ReplicationEngine,
        _ access: CacheAccess,
        _ tables: [ObjectIdentifier: any AnyReplicatedTable]
    ) {
        self.engine = engine
        self.access = access
        self.tables = tables
    }

    func end() { hasEnded = true }

    private func checkUsable() {
        precondition(!hasEnded, "A batch can't be used after the closure of its write.")
    }

    // MARK: Reading

    /// Returns the value of an entity, with the batch's own writes.
    ///
    /// The value is the one in memory, as of the latest import; a row that memory lacks is read
    /// from the database. If another write changes the row before this one commits, the closure
    /// runs again, provided that this write changes the row or writes nothing.
    ///
    /// - Parameters:
    ///   - type: A replicated type. Another type traps.
    ///   - id: The identifier of the entity.
    /// - Returns: The value, or `nil` if there is no row.
    /// - Throws: ``PostgresGraphError``, if the row can't be read or decoded.
    public func get<Value: Identifiable & Codable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) async throws -> Value? where Value.ID: Codable & Sendable {
        checkUsable()
        let key = CacheKey(type, id: id)
        _ = table(of: type)
        switch rows[key]?.change {
        case .stored(let value, _): return value as? Value
        case .removed: return nil
        case nil, .some(.none): break
        }
        let stored = access.stored(type, id: id, stamp: Int64.self)
        var value = stored?.value
        var version = stored?.stamp
        if stored == nil {
            // Memory may not keep the row, because of a limit.
            let row = try await engine.rows(of: [key])[key]
            if row == nil, let failure = await engine.failure(of: key) { throw failure }
            value = row?.value as? Value
            version = row?.version
            try await checkReads()
        }
        if let row = rows[key], row.isRead, row.version != version { isOutdated = true }
        rows[key] = Row(version: version, isRead: true) { access in
            access.stored(type, id: id, stamp: Int64.self)?.stamp
        }
        return value
    }

    /// Checks that an import hasn't changed what the closure has read before.
    private func checkReads() async throws {
        var absent: [CacheKey] = []
        for (key, row) in rows where row.isRead {
            let present = row.presentVersion(access)
            if present == row.version { continue }
            if present == nil { absent.append(key) } else { isOutdated = true }
        }
        if absent.isEmpty || isOutdated { return }
        // These rows were removed, or a limit has evicted them.
        let found = try await engine.rows(of: absent)
        if absent.contains(where: { found[$0]?.version != rows[$0]?.version }) { isOutdated = true }
    }

    /// The keys of the entities that the batch has read.
    var readKeys: [CacheKey] { rows.filter(\.value.isRead).map(\.key) }

    /// Returns whether rows have the versions that the batch has read.
    func isCurrent(in found: [CacheKey: ReadRow]) -> Bool {
        rows.allSatisfy { !$0.value.isRead || found[$0.key]?.version == $0.value.version }
    }

    // MARK: Writing

    /// Replaces the value of an entity that this run of the closure has read.
    ///
    /// The value is stored as it is: neither `merged(with:)` nor versions of the value decide.
    ///
    /// - Parameter value: The value. An entity that wasn't read, or has no row, is a programmer
    ///   error and traps: use ``insert(_:)``.
    public func set<Value: Identifiable & Codable & Sendable>(_ value: Value)
    where Value.ID: Codable & Sendable {
        let key = CacheKey(value)
        precondition(
            hasRow(key),
            """
            \(key) can't be set, since this run of the closure hasn't read it, or it has no row: \
            call get(_:id:) first, or insert(_:) for a new entity.
            """
        )
        store(value, key)
    }

    /// Adds an entity.
    ///
    /// If a row with its identifier exists by the time of the commit, the closure runs again. If
    /// that run inserts the entity, too, without having read it, the write throws an error of the
    /// kind ``PostgresGraphError/Kind/conflict``.
    ///
    /// - Parameter value: The value. An entity that this run has read and that has a row is a
    ///   programmer error and traps: use ``set(_:)``.
    public func insert<Value: Identifiable & Codable & Sendable>(_ value: Value)
    where Value.ID: Codable & Sendable {
        let key = CacheKey(value)
        precondition(
            !hasRow(key),
            "\(key) can't be inserted, since it has a row already: use set(_:)."
        )
        store(value, key)
    }

    /// Removes an entity that this run of the closure has read.
    ///
    /// - Parameters:
    ///   - type: A replicated type. Another type traps.
    ///   - id: The identifier of the entity. If it wasn't read, or has no row, it's a programmer
    ///     error and traps.
    public func remove<Value: Identifiable & Codable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) where Value.ID: Codable & Sendable {
        let key = CacheKey(type, id: id)
        precondition(
            hasRow(key),
            """
            \(key) can't be removed, since this run of the closure hasn't read it, or it has no \
            row: call get(_:id:) first.
            """
        )
        rows[key]?.change = .removed
    }

    /// Executes a statement of the service in the transaction of the write, after the writes to
    /// rows.
    ///
    /// The `search_path` is empty, so names must be qualified. If the statement fails, nothing of
    /// the write is committed. Rows that it returns are ignored. A statement that would end
    /// the transaction, such as `COMMIT`, or that concerns the whole connection, such as `LISTEN`,
    /// traps. A setting must be a `SET LOCAL`.
    ///
    /// For example, `batch.execute("DELETE FROM public.cart WHERE id = $1", [7])` deletes a row of
    /// a table of the service.
    ///
    /// - Parameters:
    ///   - sql: One statement, with the placeholders `$1`, `$2`, …
    ///   - parameters: The values of the placeholders.
    public func execute(_ sql: String, _ parameters: [SQLParameter] = []) {
        checkUsable()
        precondition(
            !parameters.contains { $0.text?.utf8.contains(0) ?? false },
            "A parameter of a statement can't contain U+0000, which PostgreSQL doesn't store."
        )
        let word = Self.firstWord(of: sql)
        precondition(
            !Self.endingWords.contains(word),
            "A write's transaction can't be ended by \(word): throw an error to roll it back."
        )
        precondition(
            !Self.sessionWords.contains(word),
            "A write can't execute \(word), which concerns its whole connection."
        )
        statements.append(Step(sql, parameters))
    }

    private static let endingWords: Set = [
        "ABORT", "BEGIN", "COMMIT", "END", "PREPARE", "ROLLBACK", "START",
    ]

    private static let sessionWords: Set = ["COPY", "DEALLOCATE", "DISCARD", "LISTEN", "UNLISTEN"]

    /// Returns the first word of a statement in uppercase letters, after comments.
    static func firstWord(of sql: String) -> String {
        var rest = sql.drop { !$0.isLetter && $0 != "-" && $0 != "/" }
        while let end = rest.hasPrefix("--") ? "\n" : rest.hasPrefix("/*") ? "*/" : nil {
            guard let range = rest.range(of: end) else { return "" }
            rest = rest[range.upperBound...].drop { !$0.isLetter && $0 != "-" && $0 != "/" }
        }
        return rest.prefix { $0.isLetter }.uppercased()
    }

    private func table<Value>(of type: Value.Type) -> any AnyReplicatedTable {
        guard let table = tables[ObjectIdentifier(type)] else {
            preconditionFailure(
                "\(type) isn't replicated: declare it with Replicated in the graph's initializer."
            )
        }
        return table
    }

    private func hasRow(_ key: CacheKey) -> Bool {
        checkUsable()
        guard let row = rows[key] else { return false }
        switch row.change {
        case .stored: return true
        case .removed: return false
        case .none: return row.version != nil
        }
    }

    private func store<Value: Identifiable & Codable & Sendable>(
        _ value: Value,
        _ key: CacheKey
    ) where Value.ID: Codable & Sendable {
        guard let table = table(of: Value.self) as? ReplicatedTable<Value> else { return }
        let text = Result { () throws(PostgresGraphError) in try table.encode(value) }
        rows[key, default: Row()].change = .stored(value: value, text: text)
    }

    // MARK: Committing

    /// `true` if the batch changes nothing.
    var isEmpty: Bool { statements.isEmpty && !rows.values.contains(where: \.isWritten) }

    /// The keys of the entities that the batch writes.
    var writtenKeys: [CacheKey] { rows.filter(\.value.isWritten).map(\.key) }

    /// The keys of the entities that the batch inserts without having read them.
    var unreadInsertions: [CacheKey] {
        rows.filter { !$0.value.isRead && $0.value.isWritten }.map(\.key)
    }

    func plan() throws(PostgresGraphError) -> WritePlan {
        var changes: [String: WritePlan.TableChanges] = [:]
        for (key, row) in rows where row.isWritten {
            guard let table = tables[key.typeIdentifier] else { continue }
            let id = try table.text(of: key)
            var change =
                changes[table.name]
                ?? WritePlan.TableChanges(
                    table: table.name,
                    column: table.column,
                    form: table.form
                )
            switch (row.change, row.version) {
            case (.stored(_, let text), let version?):
                change.updates.append((id, version, try text.get()))
            case (.stored(_, let text), nil): change.inserts.append((id, try text.get()))
            case (.removed, let version?): change.deletes.append((id, version))
            case (.removed, nil), (.none, _): continue
            }
            changes[table.name] = change
        }
        return WritePlan(id: UUID(), changes.values, statements)
    }
}

/// The receipt of a committed write.
public struct WriteReceipt<Value: Sendable>: Sendable {
    /// The result of the closure.
    public let value: Value

    /// The position of the write in the history of the database, to pass to
    /// ``PostgresGraph/wait(for:timeout:)`` of any node.
    ///
    /// It's a short text of letters, digits, hyphens and a period, for a header or a cookie.
    public let token: String

    /// `true` if the cache of this node shows the write.
    ///
    /// The write waits for the import for up to five seconds. If that fails, the next import shows
    /// it.
    public let isShown: Bool

    init(_ value: Value, _ history: History, _ transaction: UInt64, isShown: Bool) {
        self.value = value
        token = WriteToken(incarnation: history.incarnation, transaction: transaction).description
        self.isShown = isShown
    }
}
#endif
