/// The access of a query's closures to other entities: the second argument of these closures.
///
/// ```swift
/// let query = cache.query(Book.self)
///     .where { book, cache in book.author?.value(in: cache)?.name == "Ursula K. Le Guin" }
/// ```
///
/// A reader shows one consistent state, the same as the closure's first argument. The query
/// remembers the entities that the closures have read for an element, including missing ones, and
/// calls the closures for the element again when one of them changes.
///
/// A query can't follow the identifiers, the values and the number of a type, nor freshness.
/// Reading them is a programmer error and traps.
///
/// ## Concurrency
/// A reader is valid on the thread of the closure, until the closure returns.
public final class QueryReader {
    let core: CacheCore
    /// The version to read, or `nil` for the state of the open transaction.
    let version: UInt64?
    let recordsReads: Bool
    /// The keys that were read since the last call of `takeReads()`.
    var reads: [CacheKey] = []
    /// The functions that make the deriver of queries follow the types that have been read.
    var types: [ObjectIdentifier: @Sendable (QueryDeriver) -> Void] = [:]

    /// The searches in the indexes that the closures have read.
    var searches: [CacheIndexIdentity: Any] = [:]

    init(_ core: CacheCore, at version: UInt64?, recordsReads: Bool) {
        self.core = core
        self.version = version
        self.recordsReads = recordsReads
    }

    /// Returns the keys that were read since the last call.
    func takeReads() -> [CacheKey] {
        if reads.isEmpty { return [] }
        defer { reads.removeAll(keepingCapacity: true) }
        return reads
    }

    private func record<Value: Identifiable & Sendable>(
        _ id: Value.ID,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        reads.append(CacheKey(Value.self, id: id))
        if types[table.typeIdentifier] == nil {
            types[table.typeIdentifier] = { [unowned table] in $0.follow(table) }
        }
    }
}

@available(*, unavailable)
extension QueryReader: Sendable {}

extension QueryReader: ReadableCache {
    /// Returns the value for a type and an identifier, or `nil` if there is none.
    ///
    /// For example, a condition on a book can read the book's author.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    public func get<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Value? where Value.ID: Sendable {
        // A type that is read before it's stored gets its table here, so that it can be followed.
        let table = core.tables.table(of: type)
        if recordsReads { record(id, in: table) }
        return get(id: id, in: table)
    }

    /// Returns a value without recording the read.
    func get<Value: Identifiable & Sendable>(
        id: Value.ID,
        in table: Table<Value>
    ) -> Value? where Value.ID: Sendable {
        guard let version else { return table.writtenValue(id: id) }
        return table.value(id: id, hash: table.hash(of: id), at: version)
    }

    /// The engine of the cache, in which a query can't follow freshness or a whole type.
    public var _access: _CacheAccess { _CacheAccess(core, .latest, isQuery: true) }
}
