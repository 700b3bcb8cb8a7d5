#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import Foundation

/// The rows of a durable type.
final class DurableTable<Value: Identifiable & Codable & Sendable>: AnyDurableTable
where Value.ID: Codable & Sendable {
    var database: Database
    let durable: Durable<Value>
    let coder: any RowCoder
    /// `true` if a `RowWriter` encodes the values.
    let usesWriter: Bool
    /// `true` if the values are text for SQLite.
    let storesText: Bool
    let errors: PendingErrors
    private let wallClock: @Sendable () -> Date
    let form = IdentifierForm<Value.ID>()
    let sql: TableStatements
    /// The rows of the entities to which the states of this table refer, or `nil` if there are
    /// none.
    ///
    /// Without the entities, a graph neither reads nor writes the states.
    let elements: (any AnyDurableTable)?
    /// `true` if the rows of this table have the declared version.
    private(set) var isOwnVersionCurrent = false
    private var ownRefusal: SQLiteGraphError?
    var hasUnwrittenChanges = false
    /// The rows that are missing because their latest values can't be encoded.
    var unencodable: Set<RowIdentifier> = []
    /// The changes to write with the next transaction.
    var encoded = EncodedChanges()
    /// The size of the rows, or `nil` if it isn't known.
    ///
    /// Rows that were written since the last count are included as if they were new.
    var knownSize: RowsSize?
    /// The times at which a flush doesn't look for rows above the age or the staleness of the
    /// limit, in milliseconds since 1970.
    var ageingPause: Range<Int64> = .min ..< .min
    /// The identifiers of the rows that were loaded since the latest flush.
    var usedRows: Set<RowIdentifier> = []
    /// `true` if the cache's values of the type expire or become stale.
    var isTimed = false
    /// The rows that couldn't be decoded, until they're in the quarantine.
    var undecodable: [Undecodable] = []
    /// The identifiers of the states whose rows memory needs, and which haven't been read.
    var unread: Set<Value.ID> = []
    /// `true` if there has been a stamp that can't be decoded.
    var hasStampError = false
    /// The entities whose rows the present flush has read to merge them beneath their values.
    var mergedRows: Set<Value.ID> = []

    init(
        _ durable: Durable<Value>,
        _ shared: DeclaredContent.Shared,
        elements: (any AnyDurableTable)? = nil
    ) {
        database = shared.database
        self.durable = durable
        coder = shared.coder
        usesWriter = shared.coder is CompactRowCoder
        storesText = shared.coder is JSONRowCoder
        wallClock = shared.wallClock
        errors = shared.errors
        self.elements = elements
        sql = TableStatements(name: durable.name, column: form.column, storesText: storesText)
    }

    var now: WallTime { WallTime(wallClock()) }
    var name: String { durable.name }
    var typeName: String { "\(Value.self)" }
    var type: Any.Type { Value.self }
    var loading: DurableLoading { durable.loading }
    var hasUses: Bool { !usedRows.isEmpty || !undecodable.isEmpty }

    var isCurrent: Bool {
        get { isOwnVersionCurrent && elements?.isCurrent ?? true }
        set { isOwnVersionCurrent = newValue }
    }

    var refusal: SQLiteGraphError? {
        get { ownRefusal ?? elements?.refusal }
        set { ownRefusal = newValue }
    }

    func checkDeclaration() {
        var next: Any.Type = Value.self
        for upgrade in durable.upgrades.reversed() {
            precondition(
                upgrade.newType == next,
                """
                The upgrade of \(Value.self) from version \(upgrade.version) returns \
                \(upgrade.newType), but the next step needs \(next): each step must return the \
                argument of the next one, and the last step the present type.
                """
            )
            next = upgrade.oldType
        }
    }

    func createTable(in cache: Cache) { durable.createTable(cache) }

    func makeJournal(
        _ access: CacheAccess,
        signal: @escaping @Sendable () -> Void
    ) -> (any AnyTypeJournal, Disposable) {
        isTimed = access.isTimed(Value.self)
        let states = durable.state
        let journal =
            states?.makeJournal(access, signal)
            ?? ChangeJournal(of: Value.self, in: access, signal: signal)
        let token = access.add(journal)
        return (
            TypeJournal(
                typed: journal,
                read: { [durable] taken, snapshot in
                    let changes = durable.readChanges(taken, snapshot)
                    return states?.kept(changes, access) ?? changes
                }
            ),
            token
        )
    }

    func size() throws(SQLiteGraphError) -> RowsSize {
        try database.rows(sql.size) {
            RowsSize(rows: Int($0.number(0)), bytes: Int($0.number(1)))
        }.first ?? RowsSize()
    }

    /// Returns the version of the rows in the file, or `nil` if the file lacks the type.
    func version() throws(SQLiteGraphError) -> Int? {
        try description()?.version
    }

    /// Stops reading and writing the rows because their version isn't the declared one.
    func refuse(_ version: Int) {
        let isNewer = version > durable.version
        let cause =
            isNewer
            ? """
            which is newer than version \(durable.version) of \(Value.self): a newer version of the \
            program has written them.
            """
            : """
            and \(Value.self), with version \(durable.version), has no upgrade from it: add \
            .upgrade(from: \(version)).
            """
        let refusal = SQLiteGraphError(
            isNewer ? .newerVersion : .missingUpgrade,
            file: database.path,
            reason: """
                "\(name)" has version \(version), \(cause) Its rows are neither read nor written.
                """
        )
        isCurrent = false
        self.refusal = refusal
        errors.list.append(refusal)
    }
}
#endif
