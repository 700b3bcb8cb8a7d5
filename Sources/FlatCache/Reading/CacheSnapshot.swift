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

    /// The engine of the cache, whose version of the snapshot is read.
    public var _access: _CacheAccess {
        checkUsable()
        return _CacheAccess(core, .snapshot(version: version, time: time))
    }

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
}

@available(*, unavailable)
extension CacheSnapshot: Sendable {}
