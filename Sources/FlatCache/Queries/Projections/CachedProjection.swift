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

    /// A new observable object for the projection, which notifies its trackers on the main actor.
    ///
    /// Keep the object for as long as you observe the projection: after its deallocation, trackers
    /// aren't notified, and the projection isn't kept current.
    public var observable: ObservableProjection<Output> { ObservableProjection(self) }

    /// A source of the value, on which sequences and publishers are built.
    package var stateSource: StateSource<Output> {
        StateSource { [source] in source.observe(initial: true, $0, $1) }
    }
}
