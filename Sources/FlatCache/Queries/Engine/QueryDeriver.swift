/// The deriver of all live queries of a cache.
///
/// The writers' lock guards all properties.
final class QueryDeriver: CommitDeriver, @unchecked Sendable {
    private unowned let core: CacheCore
    /// The number under which the deriver and its hooks are registered.
    private let registration: UInt64
    /// The queries by the types of their elements, as `ElementQueries`.
    private var types: [ObjectIdentifier: any AnyElementQueries] = [:]
    /// The queries that are about to begin or to end.
    private var waiting = RegistrationList<any AnyLiveQuery>()
    /// The queries whose rows have read an entity.
    private var dependents: [CacheKey: RegistrationList<any AnyLiveQuery>] = [:]
    /// The numbers of read entities by their types.
    private var readCounts: [ObjectIdentifier: Int] = [:]
    /// The indexes that rows read, by the types of the indexed entities.
    private var readIndexes: [ObjectIdentifier: any AnyReadIndexes] = [:]
    private var hookRemovals: [ObjectIdentifier: () -> AnyObject] = [:]

    init(_ core: CacheCore, registration: UInt64) {
        self.core = core
        self.registration = registration
    }

    // MARK: Results

    /// Begins to record the changes that concern a query.
    func begin<Element: Identifiable & Sendable>(
        _ query: some ElementQuery<Element>,
        of table: Table<Element>
    ) where Element.ID: Sendable {
        queries(of: table).insert(query)
        follow(table)
        waiting.insert(query, for: query.number)
    }

    /// Makes the next derivation end a query that nothing holds.
    func requestEnd(of query: some AnyLiveQuery) {
        waiting.insert(query, for: query.number)
        core.requestDerivation()
    }

    func remove<Element: Identifiable & Sendable>(
        _ query: some ElementQuery<Element>,
        of table: Table<Element>
    ) where Element.ID: Sendable {
        let queries = queries(of: table)
        queries.remove(query)
        if queries.isEmpty { types[table.typeIdentifier] = nil }
        core.writer.releaseLater(Released((query, queries)))
        unfollowUnneeded()
    }

    /// Removes a query from the list of queries that are about to begin or to end.
    func endWaiting(of query: some AnyLiveQuery) { waiting.remove(query.number) }

    private func queries<Element: Identifiable & Sendable>(
        of table: Table<Element>
    ) -> ElementQueries<Element> where Element.ID: Sendable {
        if let queries = types[table.typeIdentifier] as? ElementQueries<Element> { return queries }
        let queries = ElementQueries<Element>()
        types[table.typeIdentifier] = queries
        return queries
    }

    // MARK: Read entities

    func add(_ query: some AnyLiveQuery, asDependentOf key: CacheKey) {
        if dependents[key] == nil { readCounts[key.typeIdentifier, default: 0] += 1 }
        dependents[key, default: RegistrationList()].insert(query, for: query.number)
    }

    func remove(_ query: some AnyLiveQuery, asDependentOf key: CacheKey) {
        dependents[key]?.remove(query.number)
        guard dependents[key]?.isEmpty ?? false else { return }
        dependents[key] = nil
        readCounts[key.typeIdentifier, default: 0] -= 1
    }

    // MARK: Read indexes

    /// Makes changes of an index's entities reach the rows that have read their keys.
    ///
    /// The deriver follows the index until the cache is deallocated, like the index itself.
    func follow<Entity: Identifiable & Sendable, Key: Hashable & Sendable>(
        _ index: CacheIndex<Entity, Key>
    ) where Entity.ID: Sendable {
        let table = core.tables.table(of: Entity.self)
        let present = readIndexes[table.typeIdentifier] as? ReadIndexes<Entity>
        let indexes = present ?? ReadIndexes(of: table)
        indexes.insert(index)
        readIndexes[table.typeIdentifier] = indexes
        follow(table)
    }

    /// Inserts the keys that stand for the entities of a table that have changed since a version,
    /// in the indexes that rows read.
    func insertKeys(
        ofIndexed table: any AnyTable,
        changedSince version: UInt64,
        into keys: inout Set<CacheKey>
    ) {
        readIndexes[table.typeIdentifier]?
            .insertKeys(ofChangesSince: version, in: core.writer, into: &keys)
    }

    // MARK: Hooks of in-place writes

    /// Keeps the writes to a type that concern a query from being made in place.
    func follow<Value: Identifiable & Sendable>(_ table: Table<Value>) where Value.ID: Sendable {
        guard hookRemovals[table.typeIdentifier] == nil else { return }
        let hook = ExchangeHook<Value> { [unowned self, unowned table] stored, new in
            allowsInPlaceWrite(of: new, over: stored, in: table)
        }
        table.exchangeHooks.insert(hook, for: registration)
        hookRemovals[table.typeIdentifier] = { [unowned table, registration] in
            table.exchangeHooks.remove(registration)
            return hook
        }
    }

    private func allowsInPlaceWrite<Value: Identifiable & Sendable>(
        of new: Value,
        over stored: Value,
        in table: Table<Value>
    ) -> Bool where Value.ID: Sendable {
        if readCounts[table.typeIdentifier] ?? 0 > 0, dependents[CacheKey(new)] != nil {
            return false
        }
        if let indexes = readIndexes[table.typeIdentifier] as? ReadIndexes<Value> {
            let keys = core.writer.runUserCode("a closure of an index", of: Value.self) {
                indexes.keys(of: stored).union(indexes.keys(of: new))
            }
            if keys.contains(where: { dependents[$0] != nil }) { return false }
        }
        guard let queries = types[table.typeIdentifier] as? ElementQueries<Value> else {
            return true
        }
        let reading = QueryReaders(inOpenTransactionOf: core, recordsReads: true)
        return core.writer.runUserCode("a closure of a query", of: Value.self) {
            !queries.areConcerned(by: stored, new, reading)
        }
    }

    /// Removes the hooks of types that queries no longer need.
    private func unfollowUnneeded() {
        for (type, remove) in hookRemovals
        where types[type] == nil && readCounts[type] ?? 0 == 0 && readIndexes[type] == nil {
            core.writer.releaseLater(remove())
            hookRemovals[type] = nil
        }
    }

    // MARK: Deriving

    func derive(_ commit: inout Commit) {
        if types.isEmpty { return }
        let derivation = QueryDerivation(self, in: core)
        let tables = commit.tables.filter { !$0.isDerived }
        for table in tables { types[table.typeIdentifier]?.collect(commit, in: derivation) }
        for table in tables { collectDependents(of: table, derivation) }
        waiting.forEach { derivation.recordChange(of: $0) }
        for query in derivation.changed {
            runClosures(of: query) { query.derive(&commit, in: derivation) }
        }
        for follow in derivation.reading.new.types.values { follow(self) }
    }

    /// Records the changes of rows that have read entities of a table.
    private func collectDependents(
        of table: any AnyTable,
        _ derivation: QueryDerivation
    ) {
        var keys: Set<CacheKey> = []
        insertKeys(ofIndexed: table, changedSince: core.writer.committedVersion, into: &keys)
        if readCounts[table.typeIdentifier] ?? 0 > 0 || !waiting.isEmpty {
            keys.formUnion(table.keysOfChangedValues(in: core.writer))
        }
        for key in keys {
            let collect = { (query: any AnyLiveQuery) in
                self.runClosures(of: query) { query.collectDependents(of: key, in: derivation) }
            }
            dependents[key]?.forEach(collect)
            waiting.forEach(collect)
        }
    }

    /// Runs code that calls the closures of a query; they must not write to the cache.
    private func runClosures(of query: any AnyLiveQuery, _ body: () -> Void) {
        core.writer.runUserCode("a closure of a query", of: query.elementType, body)
    }

    func checkInvariants() {
        for (type, count) in readCounts {
            let keys = dependents.keys.filter { $0.typeIdentifier == type }
            precondition(keys.count == count, "The count must be that of the read entities.")
            let isIndexed = readIndexes.values.contains { $0.keyTypes.contains(type) }
            precondition(
                count == 0 || isIndexed || hookRemovals[type] != nil,
                "A read type must have a hook."
            )
        }
        for type in types.keys {
            precondition(hookRemovals[type] != nil, "A queried type must have a hook.")
        }
    }
}

final class QueryDerivation {
    let reading: QueryReaders
    let deriver: QueryDeriver
    /// The queries with recorded changes.
    private(set) var changed: [any AnyLiveQuery] = []

    init(_ deriver: QueryDeriver, in core: CacheCore) {
        self.deriver = deriver
        reading = QueryReaders(inOpenTransactionOf: core, recordsReads: true)
    }

    func recordChange(of query: any AnyLiveQuery) { changed.append(query) }
}

/// The readers of the states before and after a commit.
@usableFromInline
struct QueryReaders {
    @usableFromInline let old: QueryReader
    @usableFromInline let new: QueryReader
}

extension QueryReaders {
    /// Creates readers for a thread that holds the writers' lock.
    init(inOpenTransactionOf core: CacheCore, recordsReads: Bool) {
        old = QueryReader(core, at: core.writer.committedVersion, recordsReads: recordsReads)
        new = QueryReader(core, at: nil, recordsReads: recordsReads)
    }
}

/// A live query of any type, as the deriver of queries knows it.
///
/// The deriver calls all functions under the writers' lock.
protocol AnyLiveQuery: AnyObject, Sendable {
    /// The number that identifies the query and its state.
    var number: UInt64 { get }

    var elementType: Any.Type { get }

    /// Records the changes of rows that have read a changed entity.
    func collectDependents(of key: CacheKey, in derivation: QueryDerivation)

    /// Writes the result of the commit, and forgets the recorded changes.
    func derive(_ commit: inout Commit, in derivation: QueryDerivation)
}

/// A query whose rows are entities of a type.
protocol ElementQuery<Element>: AnyLiveQuery {
    associatedtype Element: Identifiable & Sendable where Element.ID: Sendable

    /// The condition by which a change finds the query, if there is one.
    var routing: (any AnyIndexCondition<Element>)? { get }

    func collect(_ changes: TableChanges<Element>, in derivation: QueryDerivation)

    /// Returns whether an in-place write would change the result.
    func isConcerned(by stored: Element, _ new: Element, _ reading: QueryReaders) -> Bool
}
