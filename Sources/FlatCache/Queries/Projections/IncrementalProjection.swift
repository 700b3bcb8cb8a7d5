/// A projection that also reports the change that each commit makes to it.
///
/// ```swift
/// let titles = cache.query(Book.self).sorted(by: \.title).map { book, _ in book.title }
/// let observation = titles.observeChanges { change in
///     print(change.difference.insertions.count, "new titles")
/// }
/// ```
///
/// ``MappedQuery``, ``QuerySections`` and ``QueryGroups`` are such projections.
public class IncrementalProjection<Output: Sendable, Change: Sendable>:
    CachedProjection<Output>, @unchecked Sendable
{
    // The properties, also those of subclasses, are constant and `Sendable`.

    private let addObservation:
        @Sendable (CacheDelivery, @escaping @Sendable (Change) -> Void) -> Disposable

    init(
        _ source: some ProjectionSource<Output>,
        observingChanges:
            @escaping @Sendable (CacheDelivery, @escaping @Sendable (Change) -> Void) -> Disposable
    ) {
        addObservation = observingChanges
        super.init(source)
    }

    /// Calls a closure with each change.
    ///
    /// ```swift
    /// let years = cache.query(Book.self).sections(by: \.year)
    /// let observation = years.observeChanges { change in
    ///     print(change.difference.count, "sections were inserted or removed")
    /// }
    /// ```
    ///
    /// A change doesn't contain the value, and computes a difference when you ask for it. See
    /// ``CachedQuery/observeChanges(delivery:_:)``.
    ///
    /// ## Concurrency
    /// See ``Cache/observeChanges(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - delivery: The delivery of the calls.
    ///   - body: A closure that receives each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: O(log *n*) for each changed group of ``QueryGroups``, otherwise O(1) for each
    ///   call. The first observation runs the query.
    public func observeChanges(
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (Change) -> Void
    ) -> Disposable {
        addObservation(delivery, body)
    }

    /// Calls a closure on the calling actor with each change.
    ///
    /// ## Concurrency
    /// See ``Cached/observe(isolation:initial:following:_:)``.
    ///
    /// - Parameters:
    ///   - actor: The actor to which the caller is isolated: `#isolation`.
    ///   - body: A closure that receives each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: As for ``observeChanges(delivery:_:)``.
    public func observeChanges(
        isolation actor: isolated (any Actor)?,
        _ body: @escaping (Change) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        return observeChanges(
            delivery: .isolated(toCaller: actor, of: "observeChanges(isolation:…)")
        ) { body($0) }
    }

    /// A sequence of all changes, in commit order.
    ///
    /// See ``changes(buffering:)``.
    public var changes: CacheSequence<Change> { changes() }

    /// Returns a sequence of all changes, in commit order.
    ///
    /// ```swift
    /// let titles = cache.query(Book.self).sorted(by: \.title).map { book, _ in book.title }
    /// for await change in titles.changes() { print(change.difference.count) }
    /// ```
    ///
    /// - Parameter policy: The policy that buffers changes for a consumer that is slower than the
    ///   commits. With `.unbounded`, the consumer misses no change.
    public func changes(buffering policy: BufferingPolicy = .unbounded) -> CacheSequence<Change> {
        CacheSequence(policy) { [self] sender in observeChanges { sender.send(.known($0)) } }
    }
}
