/// The configuration of a cache: its delivery, clock, limits and indexes.
///
/// ```swift
/// var configuration = CacheConfiguration()
/// configuration.limit(Book.self, .count(1_000), staleAfter: .seconds(60))
/// let cache = Cache(configuration: configuration)
/// ```
public struct CacheConfiguration: Sendable {
    /// The delivery that calls observers and completions of batches, inline by default.
    public var delivery: CacheDelivery

    /// The clock that determines when values become stale and expire.
    ///
    /// The default, a `ContinuousClock`, advances while the machine sleeps. A `SuspendingClock`
    /// doesn't.
    public var clock: any Clock<Duration>

    /// The closure that the cache calls with each problem that no call reports as an error.
    ///
    /// The default writes a line to the standard error stream. For example, a test can fail on
    /// each problem: `configuration.onDiagnostic = { Issue.record("\($0)") }`. The cache calls the
    /// closure as it calls observers: outside all locks, by ``delivery``.
    public var onDiagnostic: @Sendable (CacheDiagnostic) -> Void = CacheDiagnostic.report

    private(set) var policies: [ObjectIdentifier: any AnyEvictionPolicy] = [:]

    /// The functions that make the declared indexes.
    @usableFromInline var indexes: [@Sendable (CacheCore) -> Void] = []

    /// The functions that make lists drop removed entities, by the types of the elements.
    var listDroppings: [ObjectIdentifier: @Sendable (CacheCore) -> Void] = [:]

    /// Tests change these rules for the segments of tables.
    var segmentSize = SegmentSize.standard

    /// Creates a configuration without limits and expiration.
    ///
    /// - Parameters:
    ///   - delivery: The delivery that calls observers and completions of batches.
    ///   - clock: The clock that determines when values expire. With their own clock, tests don't
    ///     have to sleep.
    public init(
        delivery: CacheDelivery = .inline,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.delivery = delivery
        self.clock = clock
    }

    /// Sets the limit and the lifetimes of a type.
    ///
    /// ```swift
    /// var configuration = CacheConfiguration()
    /// configuration.limit(Book.self, .count(1_000), expires: .afterAccess(.seconds(3600)))
    /// configuration.limit(Author.self, staleAfter: .seconds(60))
    /// ```
    ///
    /// The cache keeps values of all other types until they're removed. These values are fresh
    /// until they're invalidated. A later call for the same type replaces the settings of an
    /// earlier one.
    ///
    /// - Parameters:
    ///   - type: The type under which the values are stored.
    ///   - limit: The number or the total cost of values to keep.
    ///   - staleness: The rule by which the values become stale. Stale values remain in the cache.
    ///   - expiration: The rule by which the values expire, and are removed unless they're in use.
    public mutating func limit<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        _ limit: CacheLimit<Value> = .unlimited,
        staleAfter staleness: CacheStaleness<Value> = .never,
        expires expiration: CacheExpiration<Value> = .never
    ) where Value.ID: Sendable {
        policies[ObjectIdentifier(type)] =
            EvictionPolicy(limit, staleAfter: staleness, expires: expiration)
    }
}

extension CacheConfiguration {
    /// Makes lists drop entities that are removed, in the commit that removes them.
    ///
    /// ```swift
    /// var configuration = CacheConfiguration()
    /// configuration.dropRemovedElements(of: Book.self)
    /// let cache = Cache(configuration: configuration)
    /// let cart = cache.list("cart", of: Book.self)
    /// cart.replace(with: books)
    /// cache.remove(Book.self, id: books[0].id)
    /// print(cart.ids.count == books.count - 1)  // true
    /// ```
    ///
    /// Without this declaration, a list keeps the identifier of a removed entity, and shows the
    /// entity again if it's stored again.
    ///
    /// - A list drops entities that are removed explicitly, with their type or with their owner
    ///   (``OwnsCachedValues``), whether or not memory held their values. Entities that are
    ///   evicted, expired or pruned keep their places, since they can be loaded again.
    /// - In a batch, the lists drop the removed entities when the batch ends. An entity that the
    ///   batch stores again keeps its place.
    /// - The pages and cursors of the list remain valid. If an entity is removed while
    ///   ``CachedList/loadNext(_:)`` loads a page that contains it, the list doesn't get it.
    /// - A durable list that isn't in memory when an element is removed keeps the identifier.
    ///
    /// A later call for the same type replaces the closure of an earlier one.
    ///
    /// ## Concurrency
    /// The cache calls `isIncluded` under the writers' lock. It must depend on its argument alone,
    /// and must not use the cache.
    ///
    /// - Parameters:
    ///   - type: The type of the lists' elements.
    ///   - isIncluded: A closure that returns whether the list with a name drops removed entities.
    ///     By default, all lists of the type do.
    /// - Complexity: A commit that removes entities of the type explicitly takes O(*n*) more time,
    ///   in the number of elements of these lists. Remove many entities in one batch.
    public mutating func dropRemovedElements<Element: Identifiable & Sendable>(
        of type: Element.Type,
        fromLists isIncluded: @escaping @Sendable (_ name: String) -> Bool = { _ in true }
    ) where Element.ID: Sendable {
        listDroppings[ObjectIdentifier(type)] = { $0.drop(by: ListDropping<Element>(isIncluded)) }
    }
}
