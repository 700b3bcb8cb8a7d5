#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import FlatCacheRows
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
    let form = IdentifierConversion<Value.ID>()
    let sql: TableStatements
    /// The rows of the entities to which the states of this table refer, or `nil` if there are
    /// none.
    ///
    /// Without the entities, a graph neither reads nor writes the states.
    let elements: (any AnyDurableTable)?
    /// The other tables of the graph, if this is the table of the responses.
    let entities: [any AnyDurableTable]
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
        durable.upgrades.check()
        database = shared.database
        self.durable = durable
        coder = shared.coder
        usesWriter = shared.coder is CompactRowCoder
        storesText = shared.coder is JSONRowCoder
        wallClock = shared.wallClock
        errors = shared.errors
        self.elements = elements
        entities = shared.entities
        sql = TableStatements(name: durable.name, column: form.column, storesText: storesText)
    }

    var now: WallTime { WallTime(wallClock()) }
    var name: String { durable.name }
    var type: Any.Type { Value.self }
    var loading: DurableLoading { durable.loading }
    /// `true` if the rows are responses, since only a load of a request knows the type of its one.
    var needsTypes: Bool { Value.self == RequestState.self }
    var hasUses: Bool { !usedRows.isEmpty || !undecodable.isEmpty }

    var isCurrent: Bool {
        get { isOwnVersionCurrent && elements?.isCurrent ?? true }
        set { isOwnVersionCurrent = newValue }
    }

    var refusal: SQLiteGraphError? {
        get { ownRefusal ?? elements?.refusal }
        set { ownRefusal = newValue }
    }

    func makeJournal(
        of cache: Cache,
        _ access: CacheAccess,
        signal: @escaping @Sendable () -> Void
    ) -> (TypeJournal, Disposable) {
        durable.createTable(cache)
        isTimed = access.isTimed(Value.self)
        let (states, readChanges) = (durable.state, durable.readChanges)
        let contains = Dictionary(
            uniqueKeysWithValues: entities.map { (ObjectIdentifier($0.type), $0.contains) }
        )
        let journal =
            states?.makeJournal(access, signal)
            ?? ChangeJournal(of: Value.self, in: access, signal: signal)
        let typeJournal = TypeJournal(journal: journal) { snapshot in
            var changes = readChanges(journal.taken ?? JournaledChanges(), snapshot)
            changes = states?.kept(changes, access) ?? changes
            let responses = (changes as? EntityChanges<RequestState>)?.entities ?? []
            changes.related = Set(responses.lazy.flatMap(\.value.relatedKeys)).filter {
                contains[$0.typeIdentifier]?($0, snapshot) ?? false
            }
            return changes
        }
        // Every graph declares the submitted mutations. If a cache has several, one keeps them.
        let isKept = name != DeclaredContent.mutations || !access.hasJournal(of: Value.self)
        return (typeJournal, isKept ? access.add(journal) : Disposable {})
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

/// The rows of a durable type of any kind.
///
/// A graph uses its tables on its own thread.
protocol AnyDurableTable: AnyObject {
    /// The connection to the graph's file.
    var database: Database { get set }
    var name: String { get }
    var type: Any.Type { get }
    var loading: DurableLoading { get }
    /// `true` if the file's rows have the declared version.
    var isCurrent: Bool { get }
    /// The error of another version, because of which the rows are neither read nor written.
    var refusal: SQLiteGraphError? { get }
    /// `true` if flushes have left out changes because of the refusal.
    var hasUnwrittenChanges: Bool { get }

    /// Creates the table, or upgrades its rows, unless it's up to date; deletes the rows above
    /// limits.
    func prepare() throws(SQLiteGraphError)

    func makeJournal(
        of cache: Cache,
        _ access: CacheAccess,
        signal: @escaping @Sendable () -> Void
    ) -> (TypeJournal, Disposable)

    /// `true` if a limit deletes rows by their dates, so that the file needs the history of the
    /// clock.
    var hasBounds: Bool { get }

    /// `true` if there are uses of rows to write, or undecodable rows to move.
    var hasUses: Bool { get }

    /// Writes changes and their record as part of a transaction.
    ///
    /// The rows of entities that can't be encoded remain unchanged, and so do all rows if another
    /// process has written another version in the meantime.
    func write(_ changes: any TypeChanges, _ transaction: NewTransaction) throws(SQLiteGraphError)

    /// Ends the writing of changes, and forgets them.
    func endWriting(isCommitted: Bool)

    /// Returns whether the file's rows, and those of the elements, still have the declared version.
    func isReadable() throws(SQLiteGraphError) -> Bool

    func readAll() throws(SQLiteGraphError) -> ReadRows

    /// Reads and decodes the rows of some entities of the type.
    func read(_ keys: [CacheKey]) throws(SQLiteGraphError) -> ReadRows

    /// Reads and decodes the rows of the entities of a response.
    ///
    /// - Returns: The keys of the entities and their rows, or `nil` if a row can't be read.
    func readEntities(
        _ identifiers: [RowIdentifier]
    ) throws(SQLiteGraphError) -> (keys: [CacheKey], rows: ReadRows)?

    /// A closure that returns whether a snapshot has a confirmed value of an entity.
    var contains: @Sendable (CacheKey, CacheSnapshot) -> Bool { get }

    /// Returns the identifiers of the entities of a response.
    ///
    /// - Parameters:
    ///   - keys: The keys of the entities.
    ///   - stored: The keys of the entities with values.
    /// - Returns: The identifiers, or `nil` if one can't be encoded, or if an entity with a value
    ///   lacks a row.
    func identifiers(
        of keys: [CacheKey],
        _ stored: Set<CacheKey>
    ) throws(SQLiteGraphError) -> [RowIdentifier]?

    /// Records that memory needs the rows of some entities, and lacks them until they're read.
    ///
    /// If a list is edited before its row is restored, or if the row can't be read, the list lacks
    /// its stored elements. The next flush reads the row before it writes the list.
    func recordUnread(_ keys: [CacheKey])

    /// Reads the rows that other graphs have changed and that concern the cache.
    ///
    /// - Returns: The rows and removals, or `nil` if none concern the cache.
    func readChangedRows(
        _ changes: ChangesOfOthers,
        _ journal: any AnyChangeJournal
    ) throws(SQLiteGraphError) -> ReadRows?

    /// Reads and decodes the rows of entities that observations will reach.
    ///
    /// - Parameter entities: The entities of the table's type that memory lacks.
    /// - Returns: The rows, with the entities that observations will reach through them.
    func readReached(
        _ entities: [ReachedEntity],
        _ journal: any AnyChangeJournal
    ) throws(SQLiteGraphError) -> ReadRows?

    /// Moves the rows that couldn't be decoded to the quarantine, after a read.
    func endReading()

    /// Adds the rows of another file's table as stale ones, as part of a transaction, unless their
    /// entities have rows or were removed. Adds the rows in the quarantine of that file, too.
    ///
    /// - Parameters:
    ///   - other: The other table of the type.
    ///   - changes: The transactions in the log of the file.
    /// - Returns: The number of added rows, without those in the quarantine.
    func importRows(
        from other: any AnyDurableTable,
        unlessRemovedBy changes: ChangesOfOthers,
        _ transaction: NewTransaction
    ) throws(SQLiteGraphError) -> Int

    /// Moves the type's rows in the quarantine that can be decoded now back to the table, as part
    /// of a transaction.
    ///
    /// - Returns: The number of rows that return.
    func restoreQuarantine(_ transaction: NewTransaction) throws(SQLiteGraphError) -> Int

    /// Reads the rows of entities that memory lacked when a change merged a value into them, and
    /// that the present flush hasn't read yet.
    ///
    /// - Returns: The rows to merge beneath the values, or `nil` if there are none.
    func readBeneath(_ changes: any TypeChanges) throws(SQLiteGraphError) -> ReadRows?

    /// Returns changes whose values are merged with the rows that `readBeneath(_:)` would return,
    /// and with rows that are later by their versions or stamps.
    ///
    /// - Parameters:
    ///   - others: The changes of other graphs that memory hasn't shown. The parts of their rows
    ///     that mergeable values lack are kept.
    ///   - time: The time at which the changes were taken.
    func mergedWithRows(
        _ changes: any TypeChanges,
        _ others: ChangesOfOthers,
        takenAt time: WallTime
    ) throws(SQLiteGraphError) -> any TypeChanges

    /// Forgets the size and the number of the rows because they may have changed.
    func forgetSizes()

    func size() throws(SQLiteGraphError) -> RowsSize
}

/// The errors of rows that the graph reports once its transaction has ended.
final class PendingErrors {
    var list: [SQLiteGraphError] = []
}

/// The rows that a graph has read.
struct ReadRows {
    /// The number of decoded rows.
    let count: Int
    /// A closure that stores the values in a cache, or merges them beneath its values.
    let restore: (ParticipantTransaction) -> Void
    /// The keys of the entities to load with the rows at the start.
    var related: [CacheKey] = []
    /// The entities that observations will reach through the rows.
    var reached: [ReachedEntity] = []
}
#endif
