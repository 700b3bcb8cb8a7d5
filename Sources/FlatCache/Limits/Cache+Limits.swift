extension Cache {
    /// Sets the limit and the lifetimes of a type in a cache that is in use.
    ///
    /// ```swift
    /// cache.limit(
    ///     Book.self,
    ///     .count(500),
    ///     staleAfter: .seconds(60),
    ///     expires: .afterAccess(.seconds(3600))
    /// )
    /// ```
    ///
    /// This method has the same effect as ``CacheConfiguration/limit(_:_:staleAfter:expires:)``. If
    /// it lowers a limit, the following writes to the type remove the excess little by little, so
    /// that none of them takes long. To remove the excess at once, use ``trim(to:)``.
    ///
    /// ## Concurrency
    /// Waits for other writers. Calling it inside the closure of a batch or an update is a
    /// programmer error and traps.
    ///
    /// - Parameters:
    ///   - type: The type under which the values are stored.
    ///   - limit: The number or cost of values to keep.
    ///   - staleness: The rule by which the type's values become stale.
    ///   - expiration: The rule by which the type's values expire.
    ///
    ///   For stored values, both rules count from the time when they were stored. If that time is
    ///   unknown, because the type had no rules before, they count from now. Stale values remain
    ///   stale until they are stored again.
    /// - Complexity: O(1) if only the count of the limit changes; else O(*n*) in the number of
    ///   values of the type.
    @inlinable
    public func limit<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        _ limit: CacheLimit<Value> = .unlimited,
        staleAfter staleness: CacheStaleness<Value> = .never,
        expires expiration: CacheExpiration<Value> = .never
    ) where Value.ID: Sendable {
        core.limit(core.tables.table(of: type), limit, staleness, expiration)
    }

    /// Protects an entity from eviction, pruning, and removal on expiry, whether or not it exists
    /// yet.
    ///
    /// ```swift
    /// let pin = cache.pin(Book.self, id: 1)  // The book in the shopping cart stays.
    /// pin.dispose()
    /// ```
    ///
    /// A pinned entity can still be removed explicitly, and it can become stale. The pin doesn't
    /// cover the entities that it refers to.
    ///
    /// ## Concurrency
    /// Waits for no other thread. Evictions that are decided after this method returns spare the
    /// entity. A pin isn't a write: rolling back the surrounding batch doesn't undo it.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    /// - Returns: A token that ends the pin when it is disposed of or deallocated. An entity is
    ///   pinned while it has at least one token.
    @inlinable
    public func pin<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Disposable where Value.ID: Sendable {
        core.pin(id, in: core.tables.table(of: type))
    }

    /// Frees memory by removing values that aren't in use, until a target is met.
    ///
    /// ```swift
    /// let removedCount = cache.trim(to: .fraction(0.5))
    /// print("Removed \(removedCount) values.")
    /// ```
    ///
    /// The method keeps values that are observed, reached by an observation, or pinned. It also
    /// keeps lists and aliases, with the entities that they pin. Among the values of a type with a
    /// ``CacheLimit`` or with `.afterAccess`, values without recent reads are removed first; other
    /// types lose values in no particular order. Observers receive the removals with the reason
    /// ``RemovalReason/evicted``.
    ///
    /// ## Concurrency
    /// Waits for other writers. The removals are spread over several commits, so that other writers
    /// get their turns. Calling it inside the closure of a batch or an update is a programmer
    /// error and traps.
    ///
    /// - Parameter target: The part of the values to leave. More remain if more are in use.
    /// - Returns: The number of removed values, without the owned entities that are removed with
    ///   them.
    /// - Complexity: O(*n*) in the number of values.
    @discardableResult
    public func trim(to target: TrimTarget) -> Int {
        target.check()
        return core.trim(to: target)
    }

    /// Removes all values that have expired by now and aren't in use, and notifies the observers of
    /// values that have become stale.
    ///
    /// ```swift
    /// import FlatCacheTesting
    ///
    /// let clock = ManualClock()
    /// let cache = Cache(configuration: CacheConfiguration(clock: clock))
    /// cache.limit(Book.self, expires: .afterWrite(.seconds(60)))
    /// cache.set(book)
    /// clock.advance(by: .seconds(61))
    /// cache.expireValues()
    /// print(cache.count(of: Book.self))  // 0
    /// ```
    ///
    /// The cache does this by itself when values are due. A test with its own clock calls this
    /// method after it advances the clock: when the method returns, all due values are processed.
    ///
    /// ## Concurrency
    /// Waits for other writers. If many values are due, it uses several commits. Calling it inside
    /// the closure of a batch or an update is a programmer error and traps.
    ///
    /// - Complexity: O(*k* log *n*) in the number *k* of values that are due and the number *n* of
    ///   values that can expire.
    public func expireValues() { core.expireValues() }

    /// The current time of the cache's clock, to compare with the instants of a ``Freshness``.
    ///
    /// ```swift
    /// if case .stale(let since) = cache.freshness(of: Book.self, id: 1) {
    ///     print("stale for \(since.duration(to: cache.now))")
    /// }
    /// ```
    public var now: CacheInstant { CacheInstant(core.policies.timeline.now) }
}

extension Cache {
    /// Removes all values that no observation reaches over relationships, at any depth, in one
    /// commit.
    ///
    /// ```swift
    /// let observation = cache.cached(Book.self, id: 1).observe { print($0.title) }
    /// cache.pruneUnobservedValues()  // Leaves the book, its author and its publisher.
    /// observation.dispose()
    /// ```
    ///
    /// An observation with a limited ``RelationshipDepth`` protects the values within that depth,
    /// and a token of ``pin(_:id:)`` protects the pinned entity. Handles and observations of a
    /// whole type protect nothing: a handle to a removed value reads `nil`. The method keeps an
    /// observed list or alias, together with the entities that it refers to. Other lists and
    /// aliases are removed and count among the removed values. A query that is kept current
    /// protects the elements that it shows if it was created with `pinsElements: true`, and
    /// otherwise none.
    ///
    /// - Returns: The number of removed values.
    /// - Complexity: O(*n*) in the number of values.
    @discardableResult
    public func pruneUnobservedValues() -> Int {
        core.pruneUnobservedValues()
    }
}

/// The amount of values that ``Cache/trim(to:)`` keeps.
///
/// ```swift
/// cache.trim(to: .fraction(0.5))  // keeps half of the books, half of the authors, …
/// cache.trim(to: .count(0))  // keeps the values in use only
/// ```
public enum TrimTarget: Hashable, Sendable {
    /// A fraction of the current values of each type, from zero to one.
    ///
    /// For example, `.fraction(0.5)` keeps half of the values of each type.
    case fraction(Double)
    /// A number of values of all types together, zero or more.
    ///
    /// Each type keeps a share in proportion to its current number of values, rounded down. For
    /// example, of 300 books and 100 authors, `.count(100)` keeps 75 books and 25 authors.
    case count(Int)

    /// Returns the number of values of a type to keep.
    func share(of count: Int, total: Int) -> Int {
        switch self {
        case .fraction(let fraction):
            return Int((Double(count) * fraction).rounded(.down))
        case .count(let limit):
            if limit >= total { return count }
            return Int((Double(count) * Double(limit) / Double(total)).rounded(.down))
        }
    }

    /// Traps if the target is invalid, so that the error appears where the target is set, and not
    /// when memory is short.
    package func check() {
        switch self {
        case .fraction(let fraction):
            precondition(
                (0...1).contains(fraction),
                "A cache cannot be trimmed to \(fraction) of itself: use a fraction from 0 to 1."
            )
        case .count(let count):
            precondition(
                count >= 0,
                "A cache cannot be trimmed to \(count) values: use zero or more."
            )
        }
    }
}
