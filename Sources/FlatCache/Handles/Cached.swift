/// A handle that reads, changes and observes the current value of one entity of a cache.
///
/// You can create a handle before the entity exists; its ``value`` is then `nil`.
///
/// ```swift
/// let book = cache.cached(Book.self, id: 1)
/// print(book.value?.title ?? "not here yet")
/// book.value = Book(id: 1, title: "The Dispossessed")
/// book.value = nil
/// ```
///
/// A handle keeps neither the value nor the cache in memory. After the cache is deallocated,
/// ``value`` is `nil` and writes have no effect.
///
/// ## Concurrency
/// Any thread can use a handle, and several threads can use it at once. A read waits for no writer.
/// It returns the value of the latest commit, also inside the closure of a batch: to read the
/// batch's own writes, use the ``CacheBatch``. A write that the closure of a batch makes on its
/// thread joins the batch.
///
/// ## Performance
/// A handle has the hash of the identifier and remembers the place of the value. A read that finds
/// the value there neither hashes the identifier nor searches the table.
@_eagerMove
public final class Cached<Value: Identifiable & Sendable>: Identifiable, @unchecked Sendable
where Value.ID: Sendable {
    // The lock of the identifier's stripe in `table` guards `entry` and `layoutGeneration`. All
    // other properties are constant.

    // A handle is moved eagerly: its lifetime ends at its last use, since programs can't depend on
    // its deallocation. Together with `releasenone` below, this lets callers read without counting
    // a reference.

    /// The identifier of the entity.
    public let id: Value.ID

    @usableFromInline let core: CacheCore
    @usableFromInline let table: Table<Value>
    @usableFromInline let idHash: UInt32
    /// The loading that lasts as long as the observations of the handle, or `nil` if the handle
    /// doesn't load.
    @usableFromInline let loading: HandleLoading<Value>?

    /// The entry in which the value was last found.
    @exclusivity(unchecked) @usableFromInline
    private(set) var entry: Segment<Value>.Pointer?
    /// The layout generation of the stripe when `entry` was found.
    ///
    /// If the stripe's generation is greater now, `entry` may be invalid.
    @exclusivity(unchecked) @usableFromInline private(set) var layoutGeneration: UInt64 = 0

    @inlinable
    init(id: Value.ID, core: CacheCore) {
        self.id = id
        self.core = core
        table = core.tables.table(of: Value.self)
        idHash = table.hash(of: id)
        loading = nil
    }

    init(_ handle: Cached, _ options: LoadOptions<Value>) {
        id = handle.id
        core = handle.core
        table = handle.table
        idHash = handle.idHash
        loading = HandleLoading(id, in: table, of: core, options)
    }

    /// Stores the entry in which the value was found.
    ///
    /// The caller holds the lock of the identifier's stripe.
    func remember(_ entry: Segment<Value>.Pointer?, asOf layoutGeneration: UInt64) {
        self.entry = entry
        self.layoutGeneration = layoutGeneration
    }

    /// The key of the entity.
    public var key: CacheKey { CacheKey(Value.self, id: id) }

    /// The latest value, stale or not, or `nil` if there is none or the cache has been deallocated.
    ///
    /// ```swift
    /// let earthsea = cache.cached(Book.self, id: 1)
    /// earthsea.value = Book(id: 1, title: "Earthsea")
    /// print(earthsea.value?.title ?? "missing")  // Earthsea
    /// earthsea.value = nil  // removes the book from the cache
    /// ```
    ///
    /// Setting a value stores it as ``Cache/set(_:)`` does: a ``Mergeable`` value is merged.
    /// Setting `nil` removes the value. Setting a value with another identifier is a programmer
    /// error and traps. To change a part of it, use ``update(_:)``: `value?.title = …` reads
    /// and sets in two steps, between which another thread may write, and it merges the new value.
    ///
    /// ## Concurrency
    /// A read waits for no writer. Inside a batch's closure, a read returns the value before the
    /// batch, and a write joins the batch.
    public var value: Value? {
        // `releasenone`: the getter releases no object that the caller knows. So the caller needn't
        // retain the handle for the call. Retaining it took a third of a read (row 4a of
        // Benchmarks). `findValue(of:)` retains the handle while it runs code of the identifier.
        @inlinable @inline(never) @_effects(releasenone) get {
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
                The value of \(CacheKey(newValue)) was set through a handle to \(key). Set it \
                through the cache, or through a handle to its own entity.
                """
            )
            if !core.isClosed { _ = core.set(newValue) }
        }
    }

    /// Changes the value in place, if there is one: an atomic read, modification and write.
    ///
    /// ```swift
    /// let book = cache.cached(Book.self, id: 1)
    /// book.update { $0.copies += 1 }
    /// ```
    ///
    /// See ``Cache/update(_:id:_:)``.
    ///
    /// - Parameter body: A closure that changes the value. It must not change the identifier.
    /// - Returns: The value that is now stored. If there was no value or the cache has been
    ///   deallocated, the closure isn't called and the result is `nil`.
    /// - Throws: Any error that the closure throws.
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
    /// ```swift
    /// let observation = cache.cached(Book.self, id: 1).observe { print($0.title) }
    /// observation.dispose()
    /// ```
    ///
    /// See ``Cache/observe(_:id:initial:following:delivery:_:)``. The observation continues after
    /// the handle is released.
    ///
    /// - Parameters:
    ///   - initial: If `true`, the closure is also called with the current value, if there
    ///     is one.
    ///   - following: The depth to which the observation follows the entity's relationships.
    ///   - delivery: The delivery that decides where and when the cache calls the closure.
    ///   - body: A closure that receives the latest value.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    @inlinable
    public func observe(
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> Disposable {
        observe(
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
    /// ```swift
    /// let observation = cache.cached(Book.self, id: 1).observeChanges { change in
    ///     print(change.kind)  // removed (explicit)
    /// }
    /// cache.remove(Book.self, id: 1)
    /// ```
    ///
    /// See ``Cache/observeChanges(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - initial: If `true`, the closure is also called with the current value, if there
    ///     is one, as if it had just been inserted.
    ///   - following: The depth to which the observation follows the entity's relationships.
    ///   - delivery: The delivery that decides where and when the cache calls the closure.
    ///   - body: A closure that receives each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    @inlinable
    public func observeChanges(
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (EntityChange<Value>) -> Void
    ) -> Disposable {
        observe(
            initial: CacheCore.InitialCall(initial),
            following: following,
            wantsCauses: true,
            delivery: delivery,
            body
        )
    }

    /// Adds an observation of the entity, during which a loading handle loads it.
    @usableFromInline
    func observe(
        initial: CacheCore.InitialCall,
        following: RelationshipDepth,
        wantsCauses: Bool,
        delivery: CacheDelivery,
        _ body: @escaping @Sendable (EntityChange<Value>) -> Void
    ) -> Disposable {
        let observation = core.observe(
            id,
            in: table,
            initial: initial,
            following: following,
            wantsCauses: wantsCauses,
            delivery: delivery,
            body
        )
        return loading?.load(during: observation) ?? observation
    }
}

extension Cached: Hashable {
    /// Returns a Boolean value that indicates whether two handles refer to the same entity of the
    /// same cache.
    public static func == (left: Cached<Value>, right: Cached<Value>) -> Bool {
        left.core === right.core && left.id == right.id
    }

    /// Feeds the cache's identity and the entity's identifier to a hasher.
    ///
    /// - Parameter hasher: The hasher to feed.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(core))
        hasher.combine(id)
    }
}

extension Cached: CustomStringConvertible {
    /// The key of the entity, marked as a handle, such as `Cached Book(1)`.
    public var description: String { "Cached \(key)" }
}

extension Cached {
    /// The freshness of the entity: missing, fresh or stale.
    ///
    /// ```swift
    /// let book = cache.cached(Book.self, id: 1)
    /// if !book.freshness.isFresh { print("needs a reload") }
    /// ```
    ///
    /// See ``Cache/freshness(of:id:)``.
    public var freshness: Freshness { core.freshness(of: id, in: table) }

    /// Protects the entity from eviction, pruning, and removal on expiry, whether or not it exists
    /// yet.
    ///
    /// ```swift
    /// let pin = cache.cached(Book.self, id: 1).pin()
    /// cache.trim(to: .count(0))  // The book stays.
    /// pin.dispose()
    /// ```
    ///
    /// See ``Cache/pin(_:id:)``. The entity remains pinned after the handle is released.
    ///
    /// - Returns: A token that ends the pin when it is disposed of or deallocated.
    public func pin() -> Disposable { core.pin(id, in: table) }
}
