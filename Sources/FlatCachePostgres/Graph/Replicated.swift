#if canImport(CPostgres)
public import FlatCache
import FlatCacheRows

/// The declaration of a type whose entities are rows of the database, and equal on all nodes.
///
/// ```swift
/// import FlatCachePostgres
///
/// struct BookV1: Codable, Sendable {
///     var id: Int
///     var name: String
/// }
///
/// let graph = PostgresGraph("dbname=shop") {
///     Replicated(Book.self, "book", form: 2, load: .atStart)
///         .upgrade(from: 1) { (old: BookV1) in Book(id: old.id, title: old.name) }
/// }
/// ```
///
/// Only ``PostgresGraph/write(attempts:_:)`` changes the entities of the type. The values are
/// encoded as JSON, with the default strategies of `JSONEncoder`.
public struct Replicated<Value: Identifiable & Codable & Sendable>: Sendable
where Value.ID: Codable & Sendable {
    let name: String
    let loading: ReplicatedLoading
    private(set) var upgrades: Upgrades<Value>
    let createTable: @Sendable (Cache) -> Void
    let insertRows: @Sendable ([VersionedValue<Value>], ParticipantTransaction) -> Void

    /// Declares a type.
    ///
    /// - Parameters:
    ///   - type: The type under which the values are stored. Its identifiers are integers of up to
    ///     64 bits, UUIDs, or values that are encoded as a single string or integer.
    ///   - name: The name of the table: a lowercase letter, and then up to 47 lowercase letters,
    ///     digits and underscores. Another name traps.
    ///   - form: The form of the encoding. Increase it if values of the former form can no longer
    ///     be decoded, and add an upgrade.
    ///   - loading: The time at which a node loads the rows.
    @inlinable
    public init(
        _ type: Value.Type,
        _ name: String,
        form: Int = 1,
        load loading: ReplicatedLoading = .onDemand
    ) {
        self.init(
            name,
            form: form,
            loading,
            // These closures are specialized for the type, here in the client's module.
            createTable: { $0.makeTable(of: Value.self) },
            insertRows: { VersionedValue.insert($0, $1) }
        )
    }

    @usableFromInline
    init(
        _ name: String,
        form: Int,
        _ loading: ReplicatedLoading,
        createTable: @escaping @Sendable (Cache) -> Void,
        insertRows: @escaping @Sendable ([VersionedValue<Value>], ParticipantTransaction) -> Void
    ) {
        precondition(
            Schema.isName(name),
            """
            \(Value.self) can't be replicated as "\(name)": use a lowercase letter, and then up to \
            47 lowercase letters, digits and underscores.
            """
        )
        precondition(
            !(Value.self is any OwnsCachedValues.Type),
            """
            \(Value.self) can't be replicated, since it owns other entities: remove these in the \
            same write instead.
            """
        )
        self.name = name
        upgrades = Upgrades(to: form)
        self.loading = loading
        self.createTable = createTable
        self.insertRows = insertRows
    }

    /// Returns the declaration with an upgrade of the rows of a former form.
    ///
    /// A node upgrades a row when it reads it, one form after another, and stores the present form
    /// with the next write to the row. Nodes of the former version of the program can't read that
    /// row any more: see <doc:Nodes#Deploy-a-new-form>.
    ///
    /// - Parameters:
    ///   - form: The form of the rows to upgrade. Declaring two upgrades from one form, or an
    ///     upgrade from the present or a later one, traps, as does an upgrade whose result isn't of
    ///     the type that the next upgrade takes.
    ///   - body: A closure that returns the value of the next form. It runs on a thread of the
    ///     graph, under no lock. If it throws, the row counts as undecodable.
    public func upgrade<Old: Decodable & Sendable, New>(
        from form: Int,
        _ body: @escaping @Sendable (Old) throws -> New
    ) -> Replicated {
        var copy = self
        copy.upgrades.add(from: form, body)
        return copy
    }
}

/// The time at which a node loads the rows of a replicated type.
public enum ReplicatedLoading: Hashable, Sendable {
    /// A node loads a row when a load, an observation or a write reaches an entity that memory
    /// lacks.
    case onDemand
    /// A node loads all rows when the graph is attached to its cache, and new ones as they appear.
    ///
    /// Setting a limit or an expiration of the type traps. Rows that `Cache.trim(to:)` or
    /// pruning removes are loaded on demand again.
    case atStart
}

/// The declaration of a table of the service, whose rows the app loads itself.
///
/// When a statement changes rows of the table, the entities become stale on all nodes, or missing
/// if their rows were deleted. Create the triggers by the statements of
/// ``PostgresGraph/watchingSQL``.
public struct Watched<Value: Identifiable & Sendable>: Sendable where Value.ID: Codable & Sendable {
    let table: WatchedTable
    let createTable: @Sendable (Cache) -> Void

    /// Declares a table.
    ///
    /// - Parameters:
    ///   - type: The type under which the app stores the entities.
    ///   - table: The qualified name of the table, quoted as in SQL if necessary.
    ///   - id: The name of the column of the identifiers, without quotes. Keys of several columns
    ///     aren't supported.
    @inlinable
    public init(_ type: Value.Type, table: String, id: String) {
        self.init(table: table, id: id) { $0.makeTable(of: Value.self) }
    }

    @usableFromInline
    init(table: String, id: String, createTable: @escaping @Sendable (Cache) -> Void) {
        self.table = WatchedTable(of: Value.self, table: table, id: id)
        self.createTable = createTable
    }
}

/// The result builder of the declarations in a graph: replicated types and watched tables.
@resultBuilder
public enum PostgresGraphBuilder {
    /// A declared type or table.
    public struct Declaration: Sendable {
        var replicated: (any AnyReplicatedTable)?
        var watched: WatchedTable?
        let createTable: @Sendable (Cache) -> Void
    }

    /// Builds the declaration of a replicated type.
    public static func buildExpression<Value>(_ type: Replicated<Value>) -> [Declaration] {
        [Declaration(replicated: ReplicatedTable(type), createTable: type.createTable)]
    }

    /// Builds the declaration of a watched table.
    public static func buildExpression<Value>(_ table: Watched<Value>) -> [Declaration] {
        [Declaration(watched: table.table, createTable: table.createTable)]
    }

    /// Builds the declarations of several expressions.
    public static func buildBlock(_ parts: [Declaration]...) -> [Declaration] {
        Array(parts.joined())
    }

    /// Builds the declarations of a condition without an alternative.
    public static func buildOptional(_ part: [Declaration]?) -> [Declaration] { part ?? [] }

    /// Builds the declarations of the first alternative.
    public static func buildEither(first part: [Declaration]) -> [Declaration] { part }

    /// Builds the declarations of the second alternative.
    public static func buildEither(second part: [Declaration]) -> [Declaration] { part }
}
#endif
