public import Observation

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
public class CachedProjection<Output: Sendable>: @unchecked Sendable {
    // The properties, also those of subclasses, are constant and `Sendable`.

    let source: any ProjectionSource<Output>

    init(_ source: some ProjectionSource<Output>) { self.source = source }

    /// The latest value.
    ///
    /// - Complexity: If the projection is current, O(*n*) in the number of rows or groups, and less
    ///   if few of them have changed since the last read: see <doc:Costs#Queries>. Otherwise, the
    ///   query runs.
    public var value: Output { source.read() }

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
    public func value(in cache: some ReadableCache) -> Output { source.read(in: cache) }

    /// Calls a closure with the value whenever it changes.
    ///
    /// ```swift
    /// let copies = cache.query(Book.self).aggregate(.sum(of: \.copies))
    /// let observation = copies.observe(initial: true) { print($0 ?? 0, "copies in stock") }
    /// cache.update(Book.self, id: 1) { $0.copies += 5 }
    /// ```
    ///
    /// The cache doesn't compare the arrays of `map`: it makes a call for each commit that changes
    /// a row, or the order of the elements.
    ///
    /// ## Concurrency
    /// See ``CachedQuery/observe(initial:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - initial: A Boolean value that indicates whether the closure is also called when the
    ///     observation begins.
    ///   - delivery: The delivery of the calls.
    ///   - body: A closure that receives the latest value at the time of the call.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: As for ``value``, for each call. The first observation runs the query.
    public func observe(
        initial: Bool = false,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (Output) -> Void
    ) -> Disposable {
        source.observe(initial: initial, delivery) { if let output = $0.output { body(output) } }
    }

    /// Calls a closure on the calling actor with the value whenever it changes.
    ///
    /// ## Concurrency
    /// See ``Cached/observe(isolation:initial:following:_:)``.
    ///
    /// - Parameters:
    ///   - actor: The actor to which the caller is isolated: `#isolation`.
    ///   - initial: A Boolean value that indicates whether the closure is also called when the
    ///     observation begins.
    ///   - body: A closure that receives the latest value at the time of the call.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: As for ``observe(initial:delivery:_:)``.
    public func observe(
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        _ body: @escaping (Output) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        return observe(
            initial: initial,
            delivery: .isolated(toCaller: actor, of: "observe(isolation:…)")
        ) { body($0) }
    }

    /// A sequence of the value, now and after each change.
    ///
    /// A consumer that is slower than the commits receives the newest value.
    public var values: CacheSequence<Output> { stateSource.sequence }

    /// Keeps the value current without an observation.
    ///
    /// See ``CachedQuery/keepCurrent()``.
    ///
    /// - Returns: A token. When it is disposed of or deallocated, the value is no longer kept
    ///   current.
    /// - Complexity: One run of the query.
    public func keepCurrent() -> Disposable { source.keepCurrent() }

    /// A new observable object for the projection, notifying its trackers on the main actor.
    ///
    /// Keep the object for as long as you observe the projection: after its deallocation, trackers
    /// aren't notified, and the projection isn't kept current.
    public var observable: ObservableProjection<Output> { ObservableProjection(self) }

    /// A source of the value, on which sequences and publishers are built.
    package var stateSource: StateSource<Output> {
        StateSource { [source] in source.observe(initial: true, $0, $1) }
    }
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
    /// The projection's value is `nil` while the entity has no value.
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
        _ transform: @escaping @Sendable (Value, QueryReader) -> Output
    ) -> CachedProjection<Output?> {
        projection(usesReader: true, transform)
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
        _ transform: @escaping @Sendable (Value) -> Output
    ) -> CachedProjection<Output?> {
        projection(usesReader: false) { value, _ in transform(value) }
    }

    private func projection<Output: Equatable & Sendable>(
        usesReader: Bool,
        _ transform: @escaping @Sendable (Value, QueryReader) -> Output
    ) -> CachedProjection<Output?> {
        var plan = QueryPlan<Value>(sharedAs: nil, pinsElements: false)
        let identifiers = CacheIndex<Value, Value.ID>("identifier") { $0.id }
        let condition = IndexCondition(identifiers, .keys([id]), isIdentity: true)
        plan.conditions.append { value, _ in condition.holds(for: value) }
        plan.indexConditions.append(condition)
        let definition = plan.definition(
            usesReader: usesReader,
            payload: { MappedRow(output: transform($0, $1)) },
            isUpdated: { old, new, _ in old.output != new.output },
            combining: NoSummary()
        )
        let live = LiveQuery(definition, number: core.nextRegistration(), of: table)
        return CachedProjection(
            LiveProjection(live: live, core: core) { $0.first?.output }
        )
    }
}

/// A projection for the Observation framework: for SwiftUI views and `withObservationTracking`.
///
/// ```swift
/// import FlatCache
/// import Observation
///
/// let copies = cache.query(Book.self).aggregate(.sum(of: \.copies)).observable
/// withObservationTracking {
///     print("\(copies.value ?? 0) copies in stock")
/// } onChange: {
///     print("no longer")
/// }
/// ```
///
/// The object keeps the projection current. It notifies a tracker that reads the value of the next
/// change: once, after the commit has become visible. For the choice of a delivery, see
/// ``ObservableCached``.
public class ObservableProjection<Output: Sendable>: Observable, @unchecked Sendable {
    // The properties, also those of subclasses, are constant and `Sendable`.

    /// The projection.
    public let projection: CachedProjection<Output>

    let trackers: Trackers
    private let observation: Disposable

    /// Creates an observable object for a projection.
    ///
    /// - Parameters:
    ///   - projection: The projection.
    ///   - delivery: The delivery of notifications to trackers. To miss no change, deliver to the
    ///     actor that reads the value.
    public init(
        _ projection: CachedProjection<Output>,
        delivery: CacheDelivery = .isolated(to: MainActor.shared)
    ) {
        let trackers = Trackers()
        self.projection = projection
        self.trackers = trackers
        // The value isn't computed before a tracker reads it.
        observation = projection.source.observe(initial: false, delivery) { _ in trackers.notify() }
    }

    /// The latest value.
    ///
    /// - Complexity: As for ``CachedProjection/value``.
    public var value: Output {
        trackers.access()
        return projection.value
    }
}
