extension Cache {
    /// Says what is kept of a type from now on, and for how long.
    ///
    /// The same as ``CacheConfiguration/limit(_:_:expires:)``, for a cache that is in use. What is
    /// above a limit that has been lowered goes little by little with the writes to the type that follow,
    /// so that none takes long; ``trim(to:)`` makes it go at once.
    ///
    /// ## Concurrency
    /// Waits for other writers. Calling it inside the closure of a batch or an update is a
    /// programmer's error and traps.
    ///
    /// - Parameters:
    ///   - type: The type under which the values are stored.
    ///   - limit: The number or cost of values to keep.
    ///   - expiration: When its values expire. Of those that are there it counts when they were stored;
    ///     if that is not known, because values of the type did not expire, they count as stored now.
    ///     What is stale stays so until it is stored again.
    /// - Complexity: O(1) if only a count is another one than before; else O(*n*) in the number of values
    ///   of the type.
    @inlinable
    public func limit<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        _ limit: CacheLimit<Value>,
        expires expiration: CacheExpiration<Value> = .never
    ) where Value.ID: Sendable {
        core.limit(core.tables.table(of: type), limit, expiration)
    }

    /// Keeps an entity from being evicted and pruned, and from being removed when it expires,
    /// whether or not it is there yet.
    ///
    /// It may be removed explicitly, and it may become stale. What it refers to is not pinned.
    ///
    /// ## Concurrency
    /// Waits for no other thread. Evictions that are decided after this has returned spare the entity.
    /// Pinning in a batch is no write: it stays when the batch is rolled back.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    /// - Returns: A token that ends this when it is disposed of or deallocated. An entity is pinned for as
    ///   long as there is one.
    @inlinable
    public func pin<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Disposable where Value.ID: Sendable {
        core.pin(id, in: core.tables.table(of: type))
    }

    /// Removes values that are not in use, to free memory, until a part is left.
    ///
    /// What is observed, reached by an observation, or pinned stays. Of types that a
    /// ``CacheConfiguration`` or ``limit(_:_:expires:)`` names, those go first that have not been
    /// read for long; of others any. Lists and aliases stay, with what they pin. The reason that
    /// observers are told is ``RemovalReason/evicted``.
    ///
    /// ## Concurrency
    /// Waits for other writers. The work is done in several commits, so that they get their turn.
    /// Calling it inside the closure of a batch or an update is a programmer's error and traps.
    ///
    /// - Parameter target: How much is left, unless more is in use.
    /// - Returns: How many values were removed, without what belonged to them.
    /// - Complexity: O(*n*) in the number of values.
    @discardableResult
    public func trim(to target: TrimTarget) -> Int {
        target.check()
        return core.trim(to: target)
    }

    /// Removes what has expired by now, or makes it stale if it is in use, as the cache does by itself
    /// when the time comes.
    ///
    /// A test that has a clock of its own calls this after it has let time pass: then all is done when
    /// it returns.
    ///
    /// ## Concurrency
    /// Waits for other writers. It is done in several commits if much is due. Calling it inside the
    /// closure of a batch or an update is a programmer's error and traps.
    ///
    /// - Complexity: O(*k* log *n*) in the number *k* of values that are due, and *n* of those that may
    ///   expire.
    public func expireValues() { core.expireValues() }

    /// The present by the cache's clock, with which the instants of a ``CachedState`` are compared.
    public var now: CacheInstant { CacheInstant(core.policies.timeline.now) }

    /// Returns whether there is a value for an entity, and whether it is fresh.
    ///
    /// It does not count as reading the value.
    ///
    /// ## Concurrency
    /// Waits for no writer.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    @inlinable
    public func state<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> CachedState where Value.ID: Sendable {
        core.tables.existingTable(of: type)?.state(of: id) ?? .missing
    }

    /// Returns the latest value of a type that has an identifier, stale or not as you choose, or
    /// `nil` if there is none.
    ///
    /// ## Concurrency
    /// Waits for no writer. Inside a batch's closure it returns what was there before the batch.
    ///
    /// - Parameters:
    ///   - type: The type under which the value is stored.
    ///   - id: The value's identifier.
    ///   - allowStale: Whether a value counts that has expired and is kept because it is in use.
    ///     With `false` this is ``get(_:id:)``.
    @inlinable
    public func get<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        allowStale: Bool
    ) -> Value? where Value.ID: Sendable {
        core.get(type, id: id, allowStale: allowStale)
    }

    /// The keys of what should be fetched again: entities that someone is looking at and whose values are
    /// stale.
    ///
    /// ```swift
    /// Task {
    ///     for await key in cache.refreshNeeded { print("fetch \(key)") }
    /// }
    /// ```
    ///
    /// Those that are stale when the iterator is made come first, in no order; then each that
    /// becomes stale while it is watched, or comes to be watched while it is stale. An entity is
    /// watched if it is observed, or if an observation reaches it over relationships; one that is
    /// only pinned is not. A key comes once, until its value has been stored again or it comes to
    /// be watched again: if fetching it fails, it does not come again. Entities without a value are
    /// not among them.
    ///
    /// Whoever takes them should do so all the time: those that are not taken wait in the
    /// iterator's buffer.
    public var refreshNeeded: CacheSequence<CacheKey> {
        CacheSequence(.unbounded) { [core] sender in
            core.observeRefreshes { keys in sender.send(contentsOf: keys.map { .known($0) }) }
        }
    }
}

extension Cached {
    /// Whether there is a value, and whether it is fresh.
    ///
    /// It does not count as reading the value.
    ///
    /// ## Concurrency
    /// Waits for no writer.
    public var state: CachedState {
        core.isClosed ? .missing : table.state(of: id)
    }

    /// Keeps the entity from being evicted and pruned, and from being removed when it expires,
    /// whether or not it is there yet.
    ///
    /// See ``Cache/pin(_:id:)``. The handle may go while the entity stays pinned.
    ///
    /// - Returns: A token that ends this when it is disposed of or deallocated.
    public func pin() -> Disposable { core.pin(id, in: table) }
}
