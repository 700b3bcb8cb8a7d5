/// A handle to a named reference to an entity, such as the current user or the selected document.
///
/// ```swift
/// let selected = cache.alias("selected", of: Book.self)
/// selected.set(Book(id: 1, title: "Tehanu"))
/// let observation = selected.observe { book in print(book?.title ?? "no book") }
/// selected.target = 2  // prints "no book", since book 2 has no value yet
/// cache.set(Book(id: 2, title: "Solaris"))  // prints "Solaris"
/// ```
///
/// An alias that several parts of an app use is declared once:
///
/// ```swift
/// extension CacheType {
///     var authorOfTheDay: CachedAlias<Author> { alias("authorOfTheDay", of: Author.self) }
/// }
///
/// cache.authorOfTheDay.target = "lem"
/// print(cache.authorOfTheDay.value?.name ?? "not here yet")
/// ```
///
/// An alias is a source: see ``CacheSource``. Its observers are notified when the alias gets
/// another target, and of each change to the target or to anything that the target refers to. Its
/// changes are those of the target's identifier.
///
/// The cache stores an alias like a value that refers to its target. `removeAll()` removes the
/// alias, and so does `pruneUnobservedValues()` unless the alias is observed. Pruning also keeps
/// the target of an observed alias. In a cache that has a ``CacheLimit`` or a ``CacheExpiration``
/// for any type, an alias pins its target unless ``pinsTarget`` is `false`: the target is neither
/// evicted nor removed when it expires. Two aliases with the same name but different types are
/// different aliases.
///
/// An alias that a ``CacheBatch`` returns shows the batch's writes so far and is valid until the
/// batch's closure returns. To read an alias from a snapshot, use ``value(in:)``.
///
/// ## Concurrency
/// A handle may be used on any thread and keeps neither the alias nor the cache alive. Each write
/// is one commit, or part of the batch in whose closure it's made. After the cache has been
/// deallocated, the alias has no target and writing does nothing.
public final class CachedAlias<Value: Identifiable & Sendable>: Identifiable, Sendable
where Value.ID: Sendable {
    /// The name of the alias.
    public let name: String

    /// A Boolean value that indicates whether a target that is set through this handle is pinned.
    ///
    /// For example, `false` suits a target that can be loaded again at any time.
    public let pinsTarget: Bool

    @usableFromInline let core: CacheCore
    @usableFromInline let storage: Cached<AliasState<Value>>
    /// The batch whose writes the alias shows, or `nil` if it shows commits.
    @usableFromInline let batch: BatchReference?
    /// The depth to which observations of the alias follow the relationships of its target.
    let depth: RelationshipDepth

    init(
        name: String,
        pinsTarget: Bool,
        core: CacheCore,
        batch: BatchReference? = nil,
        following depth: RelationshipDepth = .allRelationships
    ) {
        self.name = name
        self.pinsTarget = pinsTarget
        self.core = core
        storage = Cached(id: name, core: core)
        self.batch = batch
        self.depth = depth
    }

    /// The name of the alias.
    public var id: String { name }

    /// The identifier of the target, or `nil` if there is none.
    ///
    /// ```swift
    /// let selected = cache.alias("selected", of: Book.self)
    /// selected.target = 1
    /// print(selected.value?.title ?? "book 1 isn't here yet")
    /// ```
    ///
    /// The target need not have a value.
    public var target: Value.ID? {
        @inlinable get {
            if let batch { return batch.checked { target(in: $0) } }
            return storage.value?.target
        }
        set {
            batch?.check()
            if core.isClosed { return }
            if let newValue {
                _ = core.set(AliasState<Value>(id: name, target: newValue, pinsTarget: pinsTarget))
            } else {
                _ = core.remove(AliasState<Value>.self, id: name)
            }
        }
    }

    /// The latest value of the target, fresh or stale, or `nil` if the alias has no target or the
    /// target has no value.
    ///
    /// - Complexity: O(1), with three lookups: the identifier of the target, its value, and the
    ///   identifier again to check that it's unchanged.
    @inlinable public var value: Value? {
        if let batch { return batch.checked { value(in: $0) } }
        // The value is read between two reads of the target, until these agree. It therefore never
        // belongs to an entity that isn't the target any more, or yet. A snapshot would detect one
        // more case only, another target and the former again between the two reads, and readers
        // would have to take turns for it.
        var target = target
        while let found = target {
            let value = core.get(Value.self, id: found)
            target = self.target
            if target == found { return core.isClosed ? nil : value }
        }
        return nil
    }

    /// Returns the identifier of the target in a cache, a batch or a snapshot, or `nil` if there is
    /// none.
    ///
    /// - Parameter cache: The cache, the batch or the snapshot to read from.
    @inlinable
    public func target(in cache: some ReadableCache) -> Value.ID? {
        cache.get(AliasState<Value>.self, id: name)?.target
    }

    /// Returns the value of the target in a batch, a snapshot or the closure of a query.
    ///
    /// ```swift
    /// let selected = cache.alias("selected", of: Book.self)
    /// let others = cache.query(Book.self).where { $0.id != selected.value(in: $1)?.id }
    /// ```
    ///
    /// To read from a cache, use ``value``, whose reads agree with one another.
    ///
    /// - Parameter cache: The batch, the snapshot or the reader to read from.
    @inlinable
    public func value(in cache: some ReadableCache) -> Value? {
        target(in: cache).flatMap { cache.get(Value.self, id: $0) }
    }

    /// Stores a value as ``CacheType/set(_:)`` does and makes it the target, in one commit.
    ///
    /// ```swift
    /// let selected = cache.alias("selected", of: Book.self)
    /// selected.set(Book(id: 1, title: "Tehanu"))
    /// print(selected.target ?? 0)  // 1
    /// ```
    ///
    /// - Parameter value: The value to store.
    /// - Returns: The value that is stored afterwards. If the cache has been deallocated, it's
    ///   `value`.
    @discardableResult
    public func set(_ value: Value) -> Value {
        batch?.check()
        if core.isClosed { return value }
        return core.write("set(_:) of an alias", asSavepoint: true) { _ in
            target = value.id
            return core.set(value)
        }
    }
}

extension CachedAlias: CacheSource {
    /// A change of the target's identifier.
    public typealias Change = ValueChange<Value.ID?>

    /// The latest value of the target: ``value``.
    public var state: Value? { value }

    /// Returns a handle whose observations follow the relationships of the target to a depth.
    ///
    /// ```swift
    /// let selected = cache.alias("selected", of: Book.self)
    /// let alone = selected.following(.none).observe { print($0?.title ?? "nothing") }
    /// ```
    ///
    /// Other handles follow all relationships.
    ///
    /// - Parameter depth: The depth. A negative number of levels is a programmer error, and
    ///   observing the handle traps.
    public func following(_ depth: RelationshipDepth) -> CachedAlias {
        CachedAlias(
            name: name,
            pinsTarget: pinsTarget,
            core: core,
            batch: batch,
            following: depth
        )
    }

    /// Calls a closure after each commit that changes the target or anything that it refers to.
    public func _observe(
        initial: Bool,
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StateNotification<Value?>) -> Void
    ) -> Disposable {
        // The alias of a batch shows commits to its observers.
        let alias =
            batch == nil ? self : CachedAlias(name: name, pinsTarget: pinsTarget, core: core)
        return core.observe(
            name,
            in: storage.table,
            initial: initial ? .always : .never,
            following: depth.extendedByOne,
            wantsCauses: false,
            delivery: delivery
        ) { _ in
            let value = alias.value
            // A target that was removed with its cache isn't reported as missing.
            if !alias.core.isClosed { receive(.known(value)) }
        }
    }

    /// Calls a closure with each change of the target's identifier.
    public func _observeChanges(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (ValueChange<Value.ID?>) -> Void
    ) -> Disposable {
        core.observe(
            name,
            in: storage.table,
            initial: .never,
            following: .none,
            wantsCauses: false,
            delivery: delivery
        ) { change in
            let (old, new) = (change.old?.target, change.new?.target)
            if old != new { receive(ValueChange(old: old, new: new)) }
        }
    }

}

extension CachedAlias: CustomStringConvertible {
    /// The name of the alias and the type of its target, such as
    /// `CachedAlias "currentUser" of User`.
    public var description: String { "CachedAlias \(String(reflecting: name)) of \(Value.self)" }
}

extension CacheType {
    /// Returns a handle to an alias, whether or not it exists yet.
    ///
    /// ```swift
    /// let selected = cache.alias("selected", of: Book.self)
    /// selected.target = 1
    ///
    /// // The last opened book can be evicted. The selected one can't.
    /// let lastOpened = cache.alias("lastOpened", of: Book.self, pinsTarget: false)
    /// lastOpened.target = 1
    /// ```
    ///
    /// The alias of a batch shows the batch's own writes. It's valid until the batch's closure
    /// returns, on the thread that runs it.
    ///
    /// - Parameters:
    ///   - name: The name of the alias.
    ///   - type: The type of its target.
    ///   - pinsTarget: A Boolean value that indicates whether a target that is set through this
    ///     handle is pinned. A pinned entity is neither evicted, even if its type exceeds its
    ///     ``CacheLimit``, nor removed when it expires.
    public func alias<Value: Identifiable & Sendable>(
        _ name: String,
        of type: Value.Type,
        pinsTarget: Bool = true
    ) -> CachedAlias<Value> where Value.ID: Sendable {
        let access = _access
        return CachedAlias(
            name: name,
            pinsTarget: pinsTarget,
            core: access.core,
            batch: access.batch
        )
    }
}

/// The stored state of an alias: a value that refers to the entity that the alias points to.
@usableFromInline
package struct AliasState<Value: Identifiable & Sendable>: Identifiable, Equatable, Sendable
where Value.ID: Sendable {
    /// The name of the alias.
    @usableFromInline package let id: String
    /// The identifier of the entity that the alias points to.
    @usableFromInline package let target: Value.ID

    /// `true` if the alias pins the entity.
    @usableFromInline package let pinsTarget: Bool

    @usableFromInline
    package init(id: String, target: Value.ID, pinsTarget: Bool) {
        self.id = id
        self.pinsTarget = pinsTarget
        self.target = target
    }
}

extension AliasState: HasCachedRelationships {
    @usableFromInline package var relatedCacheKeys: Set<CacheKey> {
        [CacheKey(Value.self, id: target)]
    }
}

extension AliasState: PinsEntities {
    @usableFromInline var pinnedCacheKeys: Set<CacheKey> { pinsTarget ? relatedCacheKeys : [] }
}
