#if canImport(SQLite3) || canImport(CSQLite)
public import FlatCache
import FlatCacheRows

/// The declaration of a type whose entities a durable graph keeps.
///
/// ```swift
/// struct BookV1: Codable, Sendable {
///     var id: Int
///     var name: String
/// }
///
/// let books = Durable(Book.self, "book", version: 2, limit: .bytes(50_000_000))
///     .upgrade(from: 1) { (old: BookV1) in Book(id: old.id, title: old.name) }
/// ```
public struct Durable<Value: Identifiable & Codable & Sendable>: Sendable
where Value.ID: Codable & Sendable {
    let name: String
    let limit: DurableLimit
    let loading: DurableLoading
    let createTable: @Sendable (Cache) -> Void
    let readChanges: @Sendable (JournaledChanges<Value.ID>, CacheSnapshot) -> EntityChanges<Value>
    let insertRows: @Sendable ([StoredRow<Value>], ParticipantTransaction) -> [Bool]
    private(set) var upgrades: Upgrades<Value>
    private(set) var stampForm: StampForm?
    /// The rules of the states of lists, aliases or requests, or `nil` for the entities of a type.
    private(set) var state: StateRules<Value>?

    var version: Int { upgrades.version }

    /// Declares a type.
    ///
    /// - Parameters:
    ///   - type: The type under which the values are stored.
    ///   - name: The name of the type in the file. Keep it when you rename the type. An empty name,
    ///     or a name that begins with `flatcache_` or `sqlite_`, is a programmer error and traps.
    ///   - version: The version of the type's encoding. Increase it if values of the former version
    ///     can no longer be decoded, or would be decoded wrongly, and add an upgrade.
    ///   - limit: The limits of the rows to keep.
    ///   - loading: The time at which the graph loads the rows.
    @inlinable
    public init(
        _ type: Value.Type,
        _ name: String,
        version: Int = 1,
        limit: DurableLimit = .none,
        load loading: DurableLoading = .onDemand
    ) {
        self.init(
            name: name,
            version: version,
            limit: limit,
            loading: loading,
            // These closures are specialized for the type, here in the client's module.
            createTable: { $0.makeTable(of: Value.self) },
            readChanges: { EntityChanges($0, in: $1) },
            insertRows: { StoredRow.insert($0, $1) }
        )
    }

    @usableFromInline
    init(
        name: String,
        version: Int,
        limit: DurableLimit,
        loading: DurableLoading,
        createTable: @escaping @Sendable (Cache) -> Void,
        readChanges:
            @escaping @Sendable (JournaledChanges<Value.ID>, CacheSnapshot) -> EntityChanges<Value>,
        insertRows: @escaping @Sendable ([StoredRow<Value>], ParticipantTransaction) -> [Bool]
    ) {
        let lowercased = name.lowercased()
        precondition(
            !name.isEmpty && !name.utf8.contains(0) && !lowercased.hasPrefix("flatcache_")
                && !lowercased.hasPrefix("sqlite_"),
            """
            \(Value.self) can't be durable as "\(name)": give it a name that isn't empty and doesn't \
            begin with "flatcache_" or "sqlite_".
            """
        )
        self.name = name
        upgrades = Upgrades(to: version)
        self.limit = limit
        self.loading = loading
        self.createTable = createTable
        self.readChanges = readChanges
        self.insertRows = insertRows
    }

    /// Declares the states of lists, aliases or requests.
    init(
        of rules: StateRules<Value>,
        named name: String,
        limit: DurableLimit,
        loading: DurableLoading,
        createTable: @escaping @Sendable (Cache) -> Void
    ) {
        self.name = name
        upgrades = Upgrades(to: 1)
        self.limit = limit
        self.loading = loading
        self.createTable = createTable
        readChanges = { EntityChanges($0, in: $1) }
        insertRows = { StoredRow.insert($0, $1) }
        state = rules
    }

    /// Returns the declaration with an upgrade of the rows of a former version.
    ///
    /// An upgrade returns a value of the next upgrade's version, or of the present version if it's
    /// the last upgrade. When you attach a graph to a cache, the graph upgrades all rows of former
    /// versions of a type, one version after another, in one transaction. A row whose upgrade
    /// throws moves to the quarantine. If the file has rows of a version without an upgrade, the
    /// graph neither reads nor writes the type, and reports
    /// ``SQLiteGraphError/Kind/missingUpgrade`` once.
    ///
    /// For example, if the present version is 3, the upgrade from version 1 returns values of
    /// version 2, and the upgrade from version 2 returns values of version 3.
    ///
    /// ## Concurrency
    /// The graph calls the closure on its own thread, under no lock of a cache.
    ///
    /// - Parameters:
    ///   - version: The version of the rows to upgrade. Declaring two upgrades from one version, or
    ///     an upgrade from the present or a later version, is a programmer error and traps, as is
    ///     an upgrade whose result isn't of the type that the next upgrade takes.
    ///   - body: A closure that returns the value of the next version. If it changes the
    ///     identifier, lists and aliases name the new one. If it throws, the row moves to the
    ///     quarantine.
    public func upgrade<Old: Decodable & Sendable, New>(
        from version: Int,
        _ body: @escaping @Sendable (Old) throws -> New
    ) -> Durable {
        var copy = self
        copy.upgrades.add(from: version, body)
        return copy
    }

    /// Returns the declaration with the type of the modification stamps to keep.
    ///
    /// `set(_:modifiedAt:)` of a cache stores the stamps. If you don't declare their type, the file
    /// contains no stamps.
    ///
    /// For example, declare `Durable(Book.self, "book").stamps(of: Date.self)` if the stamps of the
    /// books are dates.
    ///
    /// - Parameter type: The type of the stamps. Stamps of another type aren't kept.
    public func stamps<Stamp: Comparable & Codable & Sendable>(of type: Stamp.Type) -> Durable {
        var copy = self
        copy.stampForm = StampForm(type)
        return copy
    }
}

/// The time at which a durable graph loads the rows of a type, or the elements of a list.
public enum DurableLoading: Hashable, Sendable {
    /// The graph loads a row when ``SQLiteGraph/load(_:id:)``, an observation or a load of the
    /// cache reaches an entity that the cache lacks. A load of the cache reads the row before it
    /// calls your API.
    case onDemand
    /// The graph loads all rows when it's attached to a cache.
    case atStart
}
#endif
