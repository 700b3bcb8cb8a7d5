#if canImport(CPostgres)
import FlatCache
import Foundation

/// The statements of a write, as one pipelined round trip.
struct WritePlan: Sendable {
    /// The changes to the rows of a table.
    struct TableChanges: Sendable {
        let table: String
        let column: IdentifierColumn
        let form: Int
        var updates: [(id: String, version: Int64, value: String)] = []
        var inserts: [(id: String, value: String)] = []
        var deletes: [(id: String, version: Int64)] = []

        var storedIDs: [String] { updates.map(\.id) + inserts.map(\.id) }
        var removedIDs: [String] { deletes.map(\.id) }
    }

    /// The identifier of the write, by which the database knows whether it's committed.
    let id: UUID
    /// The changes, in the order in which all writes lock tables.
    let changes: [TableChanges]
    /// The statements of the service.
    let statements: [Step]

    init(id: UUID, _ changes: some Sequence<TableChanges>, _ statements: [Step]) {
        self.id = id
        self.changes = changes.sorted { $0.table < $1.table }
        self.statements = statements
    }

    /// The number of the first step that returns the number of the transaction.
    static let recordIndex = 1

    /// The same write under another identifier.
    var renewed: WritePlan { WritePlan(id: UUID(), changes, statements) }

    /// Returns the statement that records the write as withdrawn, or returns the number of its
    /// transaction if it's committed.
    ///
    /// It waits for an attempt that runs. Afterwards, no attempt can be committed any more.
    func resolution(_ schema: Schema, incarnation: String) -> Step {
        Step(
            "SELECT \(schema.name)._resolve($1::uuid, $2::uuid, $3)",
            [
                SQLParameter(incarnation), SQLParameter(id.uuidString),
                SQLParameter(changes.first?.table ?? ""),
            ],
            isPrepared: true
        )
    }

    private func record(
        _ schema: Schema,
        _ incarnation: String,
        _ type: String,
        stored: [String],
        removed: [String]
    ) -> Step {
        Step(
            "SELECT \(schema.name)._record($1::uuid, $2::uuid, $3, $4::text[], $5::text[])",
            [
                SQLParameter(incarnation), SQLParameter(id.uuidString), SQLParameter(type),
                Self.keys(stored), Self.keys(removed),
            ],
            isPrepared: true
        )
    }

    func steps(_ schema: Schema, incarnation: String) -> [Step] {
        var steps = [Step("BEGIN")]
        for change in changes {
            steps.append(
                record(
                    schema,
                    incarnation,
                    change.table,
                    stored: change.storedIDs,
                    removed: change.removedIDs
                )
            )
        }
        // A write that changes no row has a record, too: its answer may be lost.
        if changes.isEmpty {
            steps.append(record(schema, incarnation, "", stored: [], removed: []))
        }
        // All writes lock rows in one order, by table and identifier, so that no two of them wait
        // for each other.
        for change in changes { steps += self.steps(for: change, schema) }
        steps += statements
        steps.append(Step("COMMIT"))
        return steps
    }

    private static func keys(_ ids: [String]) -> SQLParameter {
        ids.count > LogRecord.keyLimit ? nil : .array(ids)
    }

    private func steps(for change: TableChanges, _ schema: Schema) -> [Step] {
        let name = schema.name
        let ids = "$1::\(change.column.rawValue)[]"
        let expected = "SELECT \(name)._expect((SELECT count(*) FROM changed), $2)"
        var steps: [Step] = []
        if change.updates.count + change.deletes.count > 1 {
            steps.append(
                Step(
                    """
                    SELECT 1 FROM \(schema.table(change.table)) WHERE id = ANY(\(ids))
                    ORDER BY id FOR UPDATE
                    """,
                    [.array(change.updates.map(\.id) + change.removedIDs)],
                    isPrepared: true
                )
            )
        }
        if !change.updates.isEmpty {
            steps.append(
                Step(
                    """
                    WITH changed AS (
                        UPDATE \(schema.table(change.table)) AS present
                        SET version = nextval('\(name)._versions'), form = $5, value = new.value
                        FROM unnest(\(ids), $3::bigint[], $4::jsonb[]) AS new (id, version, value)
                        WHERE present.id = new.id AND present.version = new.version
                        RETURNING 1)
                    \(expected)
                    """,
                    [
                        .array(change.updates.map(\.id)), SQLParameter("\(change.updates.count)"),
                        .array(change.updates.map { String($0.version) }),
                        .array(change.updates.map(\.value)), SQLParameter("\(change.form)"),
                    ],
                    isPrepared: true
                )
            )
        }
        if !change.deletes.isEmpty {
            steps.append(
                Step(
                    """
                    WITH changed AS (
                        DELETE FROM \(schema.table(change.table)) AS present
                        USING unnest(\(ids), $3::bigint[]) AS old (id, version)
                        WHERE present.id = old.id AND present.version = old.version
                        RETURNING 1)
                    \(expected)
                    """,
                    [
                        .array(change.removedIDs), SQLParameter("\(change.deletes.count)"),
                        .array(change.deletes.map { String($0.version) }),
                    ],
                    isPrepared: true
                )
            )
        }
        if !change.inserts.isEmpty {
            steps.append(
                Step(
                    """
                    WITH changed AS (
                        INSERT INTO \(schema.table(change.table)) (id, version, form, value)
                        SELECT new.id, nextval('\(name)._versions'), $4, new.value
                        FROM unnest(\(ids), $3::jsonb[]) AS new (id, value)
                        \(change.inserts.count > 1 ? "ORDER BY new.id" : "")
                        ON CONFLICT DO NOTHING RETURNING 1)
                    \(expected)
                    """,
                    [
                        .array(change.inserts.map(\.id)), SQLParameter("\(change.inserts.count)"),
                        .array(change.inserts.map(\.value)), SQLParameter("\(change.form)"),
                    ],
                    isPrepared: true
                )
            )
        }
        return steps
    }

    /// Returns the outcome of the results of the steps.
    static func outcome(of results: [Result<Rows, PostgresGraphError>]) -> WriteOutcome {
        for case .failure(let error) in results { return .failed(error) }
        guard results.count > recordIndex, case .success(let rows) = results[recordIndex],
            let transaction = UInt64(rows.text(0, 0)),
            case .success(let end) = results[results.count - 1], end.command == "COMMIT"
        else {
            return .failed(
                PostgresGraphError(.failed, "A statement of the write has ended its transaction.")
            )
        }
        return .committed(transaction)
    }
}

/// The outcome of an attempt to write.
enum WriteOutcome {
    case committed(_ transaction: UInt64)
    /// The server has rolled the transaction back.
    case failed(PostgresGraphError)
}
#endif
