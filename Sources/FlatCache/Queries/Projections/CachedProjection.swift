/// A value that closures compute from the result of a query or from an entity.
///
/// ```swift
/// let titles = cache.query(Book.self).sorted(by: \.title).map { book, cache in book.title }
/// let copies = cache.query(Book.self).aggregate(.sum(of: \.copies), by: \.author)
///
/// let observation = copies.observe { print($0[Related("le-guin")] ?? 0) }
/// print(titles.value)
/// ```
///
/// While you observe a projection, or keep a token of ``keepCurrent()``, the cache keeps it
/// current: in the commit that changes an entity, it computes the parts that depend on the entity.
/// Otherwise, each read runs the query. See <doc:Queries>.
///
/// ## Concurrency
/// A projection can be used on any thread. The cache calls its closures on any thread that reads
/// the projection, begins to observe it or commits. In a commit and in a batch, they run under the
/// writers' lock. They must depend on their arguments alone, and not write to the cache.
///
/// The changes of ``MappedQuery``, ``QuerySections`` and ``QueryGroups`` compute a difference when
/// you ask for it. Those of a single value have the values before and after: ``ValueChange``.
public class CachedProjection<State: Sendable, Change: Sendable>: CacheSource, @unchecked Sendable {
    // The properties, also those of subclasses, are constant and `Sendable`.

    private let source: any ProjectionSource<State>
    private let addObservation:
        @Sendable (CacheDelivery, @escaping @Sendable (Change) -> Void) -> Disposable
    /// A closure that loads an entity while an observation lasts.
    private let load: (@Sendable (_ during: Disposable) -> Disposable)?

    init(
        _ source: some ProjectionSource<State>,
        loading load: (@Sendable (_ during: Disposable) -> Disposable)? = nil,
        observingChanges:
            @escaping @Sendable (CacheDelivery, @escaping @Sendable (Change) -> Void) -> Disposable
    ) {
        self.source = source
        self.load = load
        addObservation = observingChanges
    }

    /// The latest value.
    ///
    /// - Complexity: If the projection is current, O(*n*) in the number of rows or groups, and less
    ///   if few of them have changed since the last read: see <doc:Costs#Queries>. Otherwise, the
    ///   query runs.
    public var value: State { source.read() }

    /// The latest value: ``value``.
    public var state: State { value }

    /// Returns the value in a cache, a batch or a snapshot.
    ///
    /// ```swift
    /// let copies = cache.query(Book.self).aggregate(.sum(of: \.copies))
    /// cache.performBatchUpdates { batch in
    ///     batch.update(Book.self, id: 1) { $0.copies += 5 }
    ///     print(copies.value(in: batch) ?? 0)  // includes the five copies
    /// }
    /// ```
    ///
    /// The value in a batch includes the batch's writes so far.
    ///
    /// - Parameter cache: The cache of the projection, a batch or a snapshot of it. Another cache
    ///   is a programmer error and traps.
    /// - Complexity: As for ``value``.
    public func value(in cache: some ReadableCache) -> State { source.read(in: cache) }

    /// Keeps the projection current, and calls a closure after each commit that changes the value.
    ///
    /// The cache doesn't compare the arrays of `map`: it makes a call for each commit that changes
    /// a row, or the order of the elements.
    public func _observe(
        initial: Bool,
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StateNotification<State>) -> Void
    ) -> Disposable {
        let observation = source.observe(initial: initial, delivery, receive)
        return load?(observation) ?? observation
    }

    /// Keeps the projection current, and calls a closure with each change.
    public func _observeChanges(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (Change) -> Void
    ) -> Disposable {
        let observation = addObservation(delivery, receive)
        return load?(observation) ?? observation
    }

    /// Keeps the value current without an observation.
    ///
    /// See ``CachedQuery/keepCurrent()``.
    ///
    /// - Returns: A token. When it is disposed of or deallocated, the value is no longer kept
    ///   current.
    /// - Complexity: One run of the query.
    public func keepCurrent() -> Disposable { source.keepCurrent() }
}

extension Cached {
    /// Returns a projection of the entity to a value that a closure computes.
    ///
    /// While you observe the projection, the cache computes the value again in each commit that
    /// changes the entity or an entity that the closure has read.
    ///
    /// ```swift
    /// let line = cache.cached(Book.self, id: 1).map { book, cache in
    ///     "\(book.title) by \(book.author.flatMap { cache[$0] }?.name ?? "someone")"
    /// }
    /// let observation = line.observe { print($0 ?? "not here") }
    /// ```
    ///
    /// The projection's value is `nil` while the entity has no value. While you observe the
    /// projection, limits, expiry and pruning don't remove the entity and the entities that the
    /// closure has read. Observing the projection of a loading handle loads the entity, as
    /// observing the handle does.
    ///
    /// ## Concurrency
    /// The cache calls the closure on any thread that reads the projection, begins to observe it or
    /// commits. In a commit and in a batch, the closure runs under the writers' lock. It must
    /// depend on its arguments alone, and read the cache only through the second one. If it
    /// writes to the cache, the process traps.
    ///
    /// - Parameter transform: A closure that returns the value. It may read other entities from its
    ///   second argument.
    public func map<Output: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Value, QueryReader) -> Output?
    ) -> CachedProjection<Output?, ValueChange<Output?>> {
        projection(usesReader: true, loading: load, transform)
    }

    /// Returns a projection of the entity to a value that depends on the entity alone.
    ///
    /// ```swift
    /// let title = cache.cached(Book.self, id: 1).map { $0.title }
    /// let observation = title.observe { print($0 ?? "not here") }
    /// ```
    ///
    /// See `map(_:)` with a closure of two arguments.
    ///
    /// ## Concurrency
    /// As for a closure of two arguments. The closure must depend on its argument alone.
    ///
    /// - Parameter transform: A closure that returns the value.
    public func map<Output: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Value) -> Output?
    ) -> CachedProjection<Output?, ValueChange<Output?>> {
        projection(usesReader: false, loading: load) { value, _ in transform(value) }
    }

    /// A closure that loads the entity while an observation lasts, if the handle loads.
    private var load: (@Sendable (_ during: Disposable) -> Disposable)? {
        guard let loading else { return nil }
        return { loading.load(during: $0) }
    }

    func projection<Output: Equatable & Sendable>(
        usesReader: Bool,
        loading load: (@Sendable (_ during: Disposable) -> Disposable)?,
        _ transform: @escaping @Sendable (Value, QueryReader) -> Output?
    ) -> CachedProjection<Output?, ValueChange<Output?>> {
        var plan = QueryPlan<Value>(sharingKey: nil, pinsElements: true)
        let identifiers = CacheIndex<Value, Value.ID>("identifier") { $0.id }
        let condition = IndexCondition(index: identifiers, keys: .keys([id]), isIdentity: true)
        plan.conditions.append { value, _ in condition.holds(for: value) }
        plan.indexConditions.append(condition)
        let definition = plan.definition(
            usesReader: usesReader,
            payload: { MappedRow(output: transform($0, $1)) },
            isUpdated: { old, new, _ in old.output != new.output },
            combining: NoSummary()
        )
        let live = LiveQuery(definition, number: core.nextRegistration(), of: table)
        let value: @Sendable (QueryRows<Value.ID, MappedRow<Output?>>, Range<Int>) -> Output? = {
            $0.outputs(in: $1).first ?? nil
        }
        // The row of an entity without an output has the same value as no row.
        return LiveProjection(
            live,
            in: core,
            isChanged: { value($0.old, $0.oldShown) != value($0.new, $0.shown) },
            value
        )
        .projection(loading: load)
    }
}
