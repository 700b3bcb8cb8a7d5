/// The reads that a ``Cache``, a ``CacheBatch``, a ``CacheSnapshot`` and a ``QueryReader`` have in
/// common.
///
/// ```swift
/// func authorName(of id: Book.ID, in cache: some ReadableCache) -> String? {
///     cache[Book.self, id]?.author?.value(in: cache)?.name
/// }
/// print(authorName(of: 1, in: cache) ?? "")
/// print(cache.withSnapshot { authorName(of: 1, in: $0) } ?? "")
/// ```
///
/// Each call reads one consistent state: the latest commit of a cache, the state before a batch
/// together with the batch's own writes, the state in which a snapshot was taken, or the state that
/// a query evaluates. Each read returns stored values, fresh or stale. ``freshness(of:id:)`` tells
/// them apart.
///
/// A `QueryReader` traps for ``freshness(of:id:)``, ``count(of:)``, ``ids(of:)`` and
/// ``values(of:)``, since a query can't follow them.
public protocol ReadableCache {
    /// The engine of the cache, and the state that the reads below return.
    ///
    /// Only the types of FlatCache can provide it.
    var _access: _CacheAccess { get }

    /// Returns the value of a type with an identifier, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    func get<Value: Identifiable & Sendable>(_ type: Value.Type, id: Value.ID) -> Value?
    where Value.ID: Sendable
}

extension ReadableCache {
    /// Returns the value with an identifier, or `nil` if there is none.
    ///
    /// The type is inferred: `let book: Book? = cache.get(1)`.
    ///
    /// - Parameter id: The value's identifier.
    @inlinable
    public func get<Value: Identifiable & Sendable>(_ id: Value.ID) -> Value?
    where Value.ID: Sendable {
        get(Value.self, id: id)
    }

    /// The value of a type with an identifier, or `nil` if there is none.
    ///
    /// ```swift
    /// print(cache[Book.self, 1]?.title ?? "not here")
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    @inlinable
    public subscript<Value: Identifiable & Sendable>(_ type: Value.Type, id: Value.ID) -> Value?
    where Value.ID: Sendable {
        self.get(type, id: id)
    }

    /// The value of the entity that a reference refers to, or `nil` if it has none.
    ///
    /// ```swift
    /// let book = cache[Book.self, 1]
    /// print(book?.author.flatMap { cache[$0] }?.name ?? "unknown")
    /// ```
    ///
    /// - Parameter related: The reference.
    @inlinable
    public subscript<Value: Identifiable & Sendable>(_ related: Related<Value>) -> Value?
    where Value.ID: Sendable {
        self.get(Value.self, id: related.id)
    }

    /// Returns a Boolean value that indicates whether there is a value with an identifier, fresh or
    /// stale.
    ///
    /// ```swift
    /// if !cache.contains(Book.self, id: 1) { print("to be loaded") }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    @inlinable
    public func contains<Value: Identifiable & Sendable>(_ type: Value.Type, id: Value.ID) -> Bool
    where Value.ID: Sendable {
        get(type, id: id) != nil
    }

    /// Returns the freshness of an entity: missing, fresh or stale.
    ///
    /// ```swift
    /// switch cache.freshness(of: Book.self, id: 1) {
    /// case .missing: print("not here")
    /// case .fresh: print("up to date")
    /// case .stale(let since): print("stale for \(since.duration(to: cache.now))")
    /// }
    /// ```
    ///
    /// The value's lifetime is compared with the clock, or, in a snapshot, with the time at which
    /// the snapshot was opened. The answer is exact even if the observers haven't been notified
    /// yet. A call doesn't count as a read of the value.
    ///
    /// ## Concurrency
    /// Waits for no writer.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    @inlinable
    public func freshness<Value: Identifiable & Sendable>(
        of type: Value.Type,
        id: Value.ID
    ) -> Freshness where Value.ID: Sendable {
        let access = _access
        let table = access.table(of: type, toRead: "the freshness of \(CacheKey(type, id: id))")
        return table.map { access.freshness(of: id, in: $0) } ?? .missing
    }

    /// Returns the number of values of a type.
    ///
    /// ```swift
    /// print("\(cache.count(of: Book.self)) books")
    /// ```
    ///
    /// - Parameter type: The type under which the values are stored.
    @inlinable
    public func count<Value: Identifiable & Sendable>(of type: Value.Type) -> Int
    where Value.ID: Sendable {
        let access = _access
        let table = access.table(of: type, toRead: "the number of values of \(type)")
        return table.map { access.count(of: $0) } ?? 0
    }

    /// Returns the identifiers of all values of a type, in no particular order.
    ///
    /// ```swift
    /// for id in cache.ids(of: Book.self) { cache.invalidate(Book.self, id: id) }
    /// ```
    ///
    /// The result is consistent: it never shows half of a commit.
    ///
    /// - Parameter type: The type under which the values are stored.
    /// - Complexity: O(*n*) in the number of values of that type.
    @inlinable
    public func ids<Value: Identifiable & Sendable>(of type: Value.Type) -> [Value.ID]
    where Value.ID: Sendable {
        var ids: [Value.ID] = []
        _access.forEachValue(of: type) { id, _ in ids.append(id) }
        return ids
    }

    /// Returns all values of a type, in no particular order.
    ///
    /// ```swift
    /// let newest = cache.values(of: Book.self).max { ($0.year ?? 0) < ($1.year ?? 0) }
    /// print(newest?.title ?? "no book")
    /// ```
    ///
    /// The result is consistent: it never shows half of a commit.
    ///
    /// - Parameter type: The type under which the values are stored.
    /// - Complexity: O(*n*) in the number of values of that type.
    @inlinable
    public func values<Value: Identifiable & Sendable>(of type: Value.Type) -> [Value]
    where Value.ID: Sendable {
        var values: [Value] = []
        _access.forEachValue(of: type) { _, value in values.append(value) }
        return values
    }
}

/// The engine of a cache, and the state that a reader sees.
///
/// An app doesn't use this type.
public struct _CacheAccess {
    @usableFromInline
    enum State {
        /// The latest commit.
        case latest
        /// The open transaction, as a batch sees it.
        case written(BatchReference)
        /// The version of an open snapshot, and the time at which the snapshot was opened, or `nil`
        /// if no type had lifetimes then.
        case snapshot(version: UInt64, time: Time?)
    }

    @usableFromInline let core: CacheCore
    @usableFromInline let state: State
    /// `true` if the closure of a query reads, which can't read all values of a type.
    @usableFromInline let isQuery: Bool
    /// `true` if the reads don't show the edits of open layers.
    @usableFromInline let isConfirmed: Bool

    @usableFromInline
    init(_ core: CacheCore, _ state: State, isQuery: Bool = false, isConfirmed: Bool = false) {
        self.core = core
        self.state = state
        self.isQuery = isQuery
        self.isConfirmed = isConfirmed
    }

    /// The batch that reads and writes, if there is one.
    var batch: BatchReference? { if case .written(let batch) = state { batch } else { nil } }

    @inlinable
    func table<Value: Identifiable & Sendable>(
        of type: Value.Type,
        toRead read: @autoclosure () -> String
    ) -> Table<Value>? where Value.ID: Sendable {
        precondition(
            !isQuery,
            """
            A closure of a query read \(read()), which a query can't follow. Read single entities \
            with get(_:id:), or query the other type.
            """
        )
        return core.tables.existingTable(of: type)
    }

    @usableFromInline
    func freshness<Value: Identifiable & Sendable>(
        of id: Value.ID,
        in table: Table<Value>
    ) -> Freshness where Value.ID: Sendable {
        if isConfirmed, confirmedValue(of: Value.self, id: id) == nil { return .missing }
        let freshness: Freshness
        switch state {
        case .latest: return core.freshness(of: id, in: table)
        case .written: freshness = core.writtenFreshness(of: id, in: table)
        case .snapshot(let version, let time):
            freshness = table.freshness(of: id, at: version) { time ?? .min }
        }
        // An entity that only layers have can't be loaded.
        if freshness.isStale, confirmedValue(of: Value.self, id: id) == nil {
            return .fresh(since: nil)
        }
        return freshness
    }

    @usableFromInline
    func count<Value: Identifiable & Sendable>(of table: Table<Value>) -> Int
    where Value.ID: Sendable {
        if isConfirmed { return confirmedValues(of: Value.self).count }
        return switch state {
        case .latest: table.count(at: nil)
        case .written: table.writtenCount
        case .snapshot(let version, _): table.count(at: version)
        }
    }

    @inlinable
    func forEachValue<Value: Identifiable & Sendable>(
        of type: Value.Type,
        _ body: (Value.ID, Value) -> Void
    ) where Value.ID: Sendable {
        guard let table = table(of: type, toRead: "all values of \(type)") else { return }
        if isConfirmed {
            confirmedValues(of: type).forEach { body($0.id, $0) }
            return
        }
        switch state {
        case .latest: core.withOpenSnapshot { table.forEachValue(at: $0, body) }
        case .written: table.forEachWrittenValue(body)
        case .snapshot(let version, _): table.forEachValue(at: version, body)
        }
    }
}
