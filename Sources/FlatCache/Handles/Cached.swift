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
    /// The options of the handle, or `nil` if it follows all relationships and doesn't load.
    @usableFromInline let options: HandleOptions<Value>?

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
        options = nil
    }

    init(_ handle: Cached, _ options: HandleOptions<Value>) {
        id = handle.id
        core = handle.core
        table = handle.table
        idHash = handle.idHash
        self.options = options
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
    /// Setting a value stores it as ``CacheType/set(_:)`` does: a ``Mergeable`` value is merged.
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
            if newValue.id != id { trap(setting: newValue) }
            if !core.isClosed { _ = core.set(newValue) }
        }
        // A change in place starts from the confirmed value, so that it contains no edits of open
        // layers.
        _modify {
            var confirmed =
                core.isClosed
                ? nil : _CacheAccess(core, .latest).confirmedValue(of: Value.self, id: id)
            let isMissing = confirmed == nil
            yield &confirmed
            if !isMissing || confirmed != nil { value = confirmed }
        }
    }

    // The message isn't compiled into each client.
    @usableFromInline @inline(never)
    func trap(setting value: Value) -> Never {
        preconditionFailure(
            """
            The value of \(CacheKey(value)) was set through a handle to \(key). Set it through the \
            cache, or through a handle to its own entity.
            """
        )
    }

    /// Changes the value in place, if there is one: an atomic read, modification and write.
    ///
    /// ```swift
    /// let book = cache.cached(Book.self, id: 1)
    /// book.update { $0.copies += 1 }
    /// ```
    ///
    /// See ``CacheType/update(_:id:_:)``.
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
}

/// The options in which a handle differs from a plain one.
@usableFromInline
final class HandleOptions<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    /// The depth to which observations of the handle follow relationships.
    let depth: RelationshipDepth
    /// The loading that lasts as long as the observations of the handle, or `nil` if the handle
    /// doesn't load.
    let loading: HandleLoading<Value>?

    init(following depth: RelationshipDepth, loading: HandleLoading<Value>?) {
        self.depth = depth
        self.loading = loading
    }
}

extension Cached {
    var depth: RelationshipDepth { options?.depth ?? .allRelationships }
    var loading: HandleLoading<Value>? { options?.loading }

    /// Returns a handle whose observations follow the entity's relationships to a depth.
    ///
    /// ```swift
    /// let book = cache.cached(Book.self, id: 1)
    /// let alone = book.following(.none).observe { print($0.title) }
    /// ```
    ///
    /// Other handles follow all relationships. The new handle loads as this one does, and shows the
    /// same ``loadState``.
    ///
    /// - Parameter depth: The depth. A negative number of levels is a programmer error, and
    ///   observing the handle traps.
    public func following(_ depth: RelationshipDepth) -> Cached {
        Cached(self, HandleOptions(following: depth, loading: loading))
    }
}

extension Cached: CacheSource {
    /// The value that observers receive.
    public typealias Present = Value
    /// A change to the entity, or to anything that it refers to.
    public typealias Change = EntityChange<Value>

    /// The latest value: ``value``.
    public var state: Value? { value }

    /// Returns the value.
    public static func present(_ state: Value?) -> Value? { state }

    /// Calls a closure after each commit that changes the entity.
    @inlinable
    public func _observe(
        initial: Bool,
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StateNotification<Value?>) -> Void
    ) -> Disposable {
        observe(initial: initial ? .always : .never, wantsCauses: false, delivery: delivery) {
            receive(.known($0.new))
        }
    }

    /// Calls a closure with each change to the entity.
    @inlinable
    public func _observeChanges(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (EntityChange<Value>) -> Void
    ) -> Disposable {
        observe(initial: .never, wantsCauses: true, delivery: delivery, receive)
    }

    /// Calls a closure with the current value as if it had just been inserted, if there is one, and
    /// then with each change to the entity or to anything that it refers to.
    ///
    /// See ``CacheSource/observeChanges(delivery:_:)``.
    ///
    /// - Parameters:
    ///   - initial: If `false`, the closure isn't called with the current value.
    ///   - delivery: The delivery that decides where and when the cache calls the closure.
    ///   - body: A closure that receives each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    @inlinable
    public func observeChanges(
        initial: Bool,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (EntityChange<Value>) -> Void
    ) -> Disposable {
        observe(
            initial: CacheCore.InitialCall(initial),
            wantsCauses: true,
            delivery: delivery,
            body
        )
    }

    /// Adds an observation of the entity, during which a loading handle loads it.
    @usableFromInline
    func observe(
        initial: CacheCore.InitialCall,
        wantsCauses: Bool,
        delivery: CacheDelivery,
        _ body: @escaping @Sendable (EntityChange<Value>) -> Void
    ) -> Disposable {
        let observation = core.observe(
            id,
            in: table,
            initial: initial,
            following: depth,
            wantsCauses: wantsCauses,
            delivery: delivery,
            body
        )
        return loading?.load(during: observation) ?? observation
    }
}

extension Cached: Hashable {
    /// Returns a Boolean value that indicates whether two handles refer to the same entity of the
    /// same cache, follow its relationships to the same depth, and load by the same policy.
    ///
    /// Requirements can't be compared: two handles with a requirement are equal if the rest is.
    public static func == (left: Cached<Value>, right: Cached<Value>) -> Bool {
        left.core === right.core && left.id == right.id && left.depth == right.depth
            && left.loading?.options.policy == right.loading?.options.policy
            && (left.loading?.options.requirement == nil)
                == (right.loading?.options.requirement == nil)
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
    /// See ``ReadableCache/freshness(of:id:)``.
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
