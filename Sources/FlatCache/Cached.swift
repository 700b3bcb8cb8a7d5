/// A handle to an entity of a cache: it always resolves the latest value, whether the entity exists
/// yet, no longer, or again.
///
/// ```swift
/// let book = cache.cached(Book.self, id: 1)
/// print(book.value?.title ?? "not here yet")
/// book.value = Book(id: 1, title: "The Dispossessed")
/// book.value = nil
/// ```
///
/// Reading a value through a handle is the fastest way to read it: nothing is hashed. A handle
/// keeps neither the value nor the cache; when the cache has gone, ``value`` is `nil` and writing
/// does nothing.
public final class Cached<Value: Identifiable & Sendable>: Identifiable, @unchecked Sendable
where Value.ID: Sendable {
    // All is constant but `entry` and `departures`, which the lock of a stripe guards.

    /// The identifier of the entity.
    public let id: Value.ID

    @usableFromInline let core: CacheCore
    @usableFromInline let table: Table<Value>
    @usableFromInline let idHash: UInt32

    // Guarded by the lock of the identifier's stripe in `table`.

    /// Where the value was found last.
    @exclusivity(unchecked) @usableFromInline
    private(set) var entry: Region<Value>.Pointer?
    /// How many times entries had left that stripe then: if more have since, this may have.
    @exclusivity(unchecked) @usableFromInline private(set) var departures: UInt64 = 0

    @inlinable
    init(id: Value.ID, core: CacheCore) {
        self.id = id
        self.core = core
        table = core.tables.table(of: Value.self)
        idHash = Table<Value>.hash(of: id)
    }

    /// Notes where the value was found, under the lock of the identifier's stripe.
    func remember(_ entry: Region<Value>.Pointer?, asOf departures: UInt64) {
        self.entry = entry
        self.departures = departures
    }

    /// The key of the entity.
    public var key: CacheKey { CacheKey(Value.self, id: id) }

    /// The latest value, stale or not, or `nil` if there is none or the cache has gone.
    ///
    /// Setting a value stores it as ``Cache/set(_:)`` does: it is merged if it is ``Mergeable``.
    /// Setting `nil` removes the value. A value with another identifier is a programmer's error and
    /// traps. To change a part of the value use ``update(_:)``: `value?.title = …` reads and sets
    /// in two steps, between which another thread may write, and merges what it sets.
    ///
    /// ## Concurrency
    /// Reading waits for no writer. Inside a batch's closure it shows the state before the batch;
    /// setting joins the batch.
    public var value: Value? {
        @inlinable get {
            if core.isClosed { return nil }
            return table.value(of: self)
        }
        @inlinable set {
            guard let newValue else {
                if !core.isClosed { _ = core.remove(Value.self, id: id) }
                return
            }
            precondition(
                newValue.id == id,
                """
                A handle to \(key) was given the value of \(CacheKey(newValue)). Set that through \
                the cache, or through a handle of its own.
                """
            )
            if !core.isClosed { _ = core.set(newValue) }
        }
    }

    /// Changes the value in place, if there is one: an atomic read, modification and write.
    ///
    /// See ``Cache/update(_:id:_:)``.
    ///
    /// - Parameter body: Changes the value, whose identifier it must leave as it is.
    /// - Returns: What is stored now, or `nil` if there was no value or the cache has gone; the closure
    ///   was not called then.
    /// - Throws: What the closure throws.
    @discardableResult
    @inlinable
    public func update<Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Void
    ) throws(Failure) -> Value? {
        if core.isClosed { return nil }
        return try core.update(Value.self, id: id, body)
    }

    /// Calls a closure with the latest value whenever the entity, or anything that it refers to at
    /// any depth, changes.
    ///
    /// See ``Cache/observe(_:id:initial:following:delivery:_:)``. The handle may go while the observation
    /// goes on.
    ///
    /// - Parameters:
    ///   - initial: Whether the closure is called at once with the value that is there, if there is
    ///     one.
    ///   - following: How far the entity's relationships are followed.
    ///   - delivery: Where and when the closure is called.
    ///   - body: Called with the latest value.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    @inlinable
    public func observe(
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> Disposable {
        core.observe(
            id,
            in: table,
            initial: CacheCore.InitialCall(initial),
            following: following,
            wantsCauses: false,
            delivery: delivery
        ) { change in
            if let value = change.new { body(value) }
        }
    }

    /// Calls a closure with each change to the entity or to anything that it refers to at any
    /// depth, removals included.
    ///
    /// See ``Cache/observeChanges(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - initial: Whether the closure is called at once with the value that is there, if there is
    ///     one, as if it had just been inserted.
    ///   - following: How far the entity's relationships are followed.
    ///   - delivery: Where and when the closure is called.
    ///   - body: Called with each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    @inlinable
    public func observeChanges(
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (EntityChange<Value>) -> Void
    ) -> Disposable {
        core.observe(
            id,
            in: table,
            initial: CacheCore.InitialCall(initial),
            following: following,
            wantsCauses: true,
            delivery: delivery,
            body
        )
    }
}

extension Cached: Hashable {
    /// Returns whether two handles resolve the same entity of the same cache.
    public static func == (left: Cached<Value>, right: Cached<Value>) -> Bool {
        left.core === right.core && left.id == right.id
    }

    /// Feeds the cache's identity and the identifier to a hasher.
    ///
    /// - Parameter hasher: The hasher to feed.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(core))
        hasher.combine(id)
    }
}

extension Cached: CustomStringConvertible {
    /// The key of the entity, as a handle, such as `Cached Book(1)`.
    public var description: String { "Cached \(key)" }
}
