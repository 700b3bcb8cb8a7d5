/// One consistent state of a cache, valid inside the closure of ``Cache/withSnapshot(_:)``.
///
/// ```swift
/// let total = cache.withSnapshot { snapshot in
///     snapshot.values(of: Book.self).reduce(0) { $0 + $1.copies }
/// }
/// ```
///
/// Using it after that closure has returned is a programmer error and traps.
public final class CacheSnapshot: ReadableCache {
    @usableFromInline let core: CacheCore
    private var hasEnded = false

    /// The number of the commit whose state the snapshot shows.
    public let version: UInt64

    /// The time at which the snapshot was opened, or `nil` if no type had lifetimes then.
    let time: Time?

    init(core: CacheCore, version: UInt64, time: Time?) {
        self.core = core
        self.version = version
        self.time = time
    }

    func end() { hasEnded = true }

    @usableFromInline
    func checkUsable() {
        precondition(
            !hasEnded,
            """
            A snapshot was used after the closure of withSnapshot(_:) had returned. Return values \
            from the closure instead of the snapshot.
            """
        )
    }

    /// Returns the value for a type and an identifier as of the snapshot, or `nil` if there is
    /// none.
    ///
    /// ```swift
    /// cache.withSnapshot { snapshot in
    ///     let book = snapshot.get(Book.self, id: 1)
    ///     // Both values belong to the same commit.
    ///     print(book?.title ?? "", book?.author?.value(in: snapshot)?.name ?? "")
    /// }
    /// ```
    ///
    /// See ``Cache/get(_:id:)``.
    @inlinable
    public func get<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Value? where Value.ID: Sendable {
        checkUsable()
        return core.get(type, id: id, at: version)
    }

    /// Returns the freshness of an entity as of the snapshot.
    ///
    /// The value's lifetime is compared with the time at which the snapshot was opened.
    ///
    /// See ``Cache/freshness(of:id:)``.
    ///
    /// For example, a value whose lifetime ends after the snapshot was opened remains fresh in the
    /// snapshot.
    public func freshness<Value: Identifiable & Sendable>(
        of type: Value.Type,
        id: Value.ID
    ) -> Freshness where Value.ID: Sendable {
        checkUsable()
        let table = core.tables.existingTable(of: type)
        return table?.freshness(of: id, at: version, now: { time ?? .min }) ?? .missing
    }

    /// Returns the number of values of a type.
    ///
    /// See ``Cache/count(of:)``.
    public func count<Value: Identifiable & Sendable>(of type: Value.Type) -> Int
    where Value.ID: Sendable {
        checkUsable()
        return core.count(of: type, at: version)
    }

    /// Returns the identifiers of all values of a type, in no particular order.
    ///
    /// See ``Cache/ids(of:)``.
    ///
    /// - Complexity: O(*n*) in the number of values of that type.
    @inlinable
    public func ids<Value: Identifiable & Sendable>(of type: Value.Type) -> [Value.ID]
    where Value.ID: Sendable {
        checkUsable()
        var ids: [Value.ID] = []
        core.forEachValue(of: type, at: version) { id, _ in ids.append(id) }
        return ids
    }

    /// Returns all values of a type, in no particular order.
    ///
    /// ```swift
    /// let total = cache.withSnapshot { snapshot in
    ///     snapshot.values(of: Book.self).reduce(0) { $0 + $1.copies }
    /// }
    /// ```
    ///
    /// See ``Cache/values(of:)``.
    ///
    /// - Complexity: O(*n*) in the number of values of that type.
    @inlinable
    public func values<Value: Identifiable & Sendable>(of type: Value.Type) -> [Value]
    where Value.ID: Sendable {
        checkUsable()
        var values: [Value] = []
        core.forEachValue(of: type, at: version) { _, value in values.append(value) }
        return values
    }
}

@available(*, unavailable)
extension CacheSnapshot: Sendable {}
