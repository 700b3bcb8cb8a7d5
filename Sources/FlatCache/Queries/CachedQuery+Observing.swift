extension CachedQuery {
    /// Calls a closure with the elements whenever a commit changes an element or the order.
    ///
    /// ```swift
    /// let classics = cache.query(Book.self).where { ($0.year ?? .max) < 1970 }.sorted(by: \.title)
    /// let observation = classics.observe(initial: true) { books in print(books.map(\.title)) }
    /// cache.set(Book(id: 8, title: "Solaris", year: 1961))  // prints all titles, with Solaris
    /// ```
    ///
    /// The cache keeps the query current until the token ends. The first observation runs the query
    /// on the calling thread, and waits for no writer.
    ///
    /// ## Concurrency
    /// As for ``Cache/observe(_:id:initial:following:delivery:_:)``, the cache calls the closure at
    /// most once per commit, under no lock. The elements are the latest ones at the time of the
    /// call, all from one state. If other commits have followed by then, each of them still causes
    /// a separate call. If the cache is deallocated, it drops the pending calls.
    ///
    /// - Parameters:
    ///   - initial: A Boolean value that indicates whether the closure is also called when the
    ///     observation begins.
    ///   - delivery: The delivery of the calls.
    ///   - body: A closure that receives the elements, in their order.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: O(*n*) in the number of elements for each call. The first observation runs the
    ///   query.
    public func observe(
        initial: Bool = false,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable ([Element]) -> Void
    ) -> Disposable {
        live.observe(
            in: core,
            initial: initial,
            delivery: delivery,
            { $0.elements(at: 0...) },
            body
        )
    }

    /// Calls a closure with each change to the elements or to their order.
    ///
    /// ```swift
    /// let available = cache.query(Book.self).where { $0.copies > 0 }
    /// let observation = available.observeChanges { change in
    ///     print("\(change.difference.insertions.count) books are back")
    /// }
    /// ```
    ///
    /// The cache keeps the query current until the token ends. A change doesn't contain the
    /// elements, and computes the order and the difference when you ask for them.
    ///
    /// If the observation begins during another thread's first run of the query, the first change
    /// covers the commits from then to the end of the run. It's empty if these commits cancel each
    /// other out, since the elements may have been read in between.
    ///
    /// ## Concurrency
    /// See ``Cache/observeChanges(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - delivery: The delivery of the calls.
    ///   - body: A closure that receives each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: The first observation runs the query.
    @inlinable
    public func observeChanges(
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (QueryChange<Element>) -> Void
    ) -> Disposable {
        live.observeChanges(in: core, delivery: delivery) {
            body(QueryChange($0, version: $1))
        }
    }

    /// Keeps the result current without an observation.
    ///
    /// ```swift
    /// let available = cache.query(Book.self).where { $0.copies > 0 }
    /// let token = available.keepCurrent()
    /// print(available.count)  // reads the current result, without a run
    /// ```
    ///
    /// Until the token ends, reads of the result don't run the query.
    ///
    /// ## Concurrency
    /// The call waits for no writer. It runs the query on the calling thread, unless the result is
    /// kept current already. If another thread is writing, the result becomes current at the end of
    /// that write.
    ///
    /// - Returns: A token. When it is disposed of or deallocated, the result is no longer kept
    ///   current.
    /// - Complexity: One run of the query.
    public func keepCurrent() -> Disposable { live.hold(in: core, "keepCurrent()") }
}

extension CachedQuery {
    /// Calls a closure on the calling actor with the elements whenever a commit changes an element
    /// or the order.
    ///
    /// ```swift
    /// @MainActor
    /// final class ClassicsScreen {
    ///     private var titles: [String] = []
    ///     private var observation: Disposable?
    ///
    ///     init(_ classics: CachedQuery<Book>) {
    ///         observation = classics.observe(isolation: #isolation) { [weak self] books in
    ///             self?.titles = books.map(\.title)
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// ## Concurrency
    /// See ``Cached/observe(isolation:initial:following:_:)``. The elements are the latest ones at
    /// the time of the call.
    ///
    /// - Parameters:
    ///   - actor: The actor to which the caller is isolated: `#isolation`.
    ///   - initial: A Boolean value that indicates whether the closure is also called when the
    ///     observation begins.
    ///   - body: A closure that receives the elements, in their order.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: O(*n*) in the number of elements for each call. The first observation runs the
    ///   query.
    public func observe(
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        _ body: @escaping ([Element]) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        return observe(
            initial: initial,
            delivery: .isolated(toCaller: actor, of: "observe(isolation:…)")
        ) { body($0) }
    }

    /// Calls a closure on the calling actor with each change to the elements or to their order.
    ///
    /// ## Concurrency
    /// See ``Cached/observe(isolation:initial:following:_:)``.
    ///
    /// - Parameters:
    ///   - actor: The actor to which the caller is isolated: `#isolation`.
    ///   - body: A closure that receives each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: The first observation runs the query.
    public func observeChanges(
        isolation actor: isolated (any Actor)?,
        _ body: @escaping (QueryChange<Element>) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        return observeChanges(
            delivery: .isolated(toCaller: actor, of: "observeChanges(isolation:…)")
        ) { body($0) }
    }
}

extension CachedQuery {
    /// A sequence of the elements, now and after each change to them or to their order.
    ///
    /// ```swift
    /// for await books in cache.query(Book.self).sorted(by: \.title).values {
    ///     print(books.map(\.title))
    /// }
    /// ```
    ///
    /// A consumer that is slower than the commits receives the newest elements, and never older
    /// ones after newer ones.
    public var values: CacheSequence<[Element]> { stateSource.sequence }

    /// A sequence of all changes to the elements or to their order, in commit order.
    ///
    /// See ``changes(buffering:)``.
    public var changes: CacheSequence<QueryChange<Element>> { changes() }

    /// Returns a sequence of all changes to the elements or to their order, in commit order.
    ///
    /// ```swift
    /// let newest = cache.query(Book.self).sorted(by: \.year, .descending)
    /// for await change in newest.changes(buffering: .newest(100)) {
    ///     print(change.difference.count)
    /// }
    /// ```
    ///
    /// - Parameter policy: The policy that buffers changes for a consumer that is slower than the
    ///   commits. With `.unbounded`, the consumer misses no change.
    public func changes(
        buffering policy: BufferingPolicy = .unbounded
    ) -> CacheSequence<QueryChange<Element>> {
        CacheSequence(policy) { [self] sender in
            observeChanges { sender.send(.known($0)) }
        }
    }

    /// A source of the elements, on which sequences and publishers are built.
    package var stateSource: StateSource<[Element]> {
        live.stateSource(in: core) { $0.elements(at: 0...) }
    }
}

/// A change that a commit made to the result of a query: to its elements, or to their order.
///
/// ```swift
/// let classics = cache.query(Book.self).where { ($0.year ?? .max) < 1970 }.sorted(by: \.title)
/// let observation = classics.observeChanges { change in
///     for step in change.difference.inferringMoves() { print(step) }
///     for id in change.changedIDs { print("book \(id) has changed") }
/// }
/// ```
///
/// An element has changed if the commit has changed its value. The result of a query with a limit
/// or an offset consists of the elements in that window.
public struct QueryChange<Element: Identifiable & Sendable>: Sendable where Element.ID: Sendable {
    /// The identifiers of the elements whose values the commit has changed.
    ///
    /// They don't include entities that didn't meet the conditions before the commit. They include
    /// an element that has entered the window of a limit or an offset if its value has changed.
    ///
    /// - Complexity: O(*k* log *n*) for *k* changed rows of *n*.
    public var changedIDs: Set<Element.ID> { transition.updatedIDs }

    /// The number of the commit.
    ///
    /// If an observation begins during the query's first run, its first change includes all commits
    /// from then to the end of the run.
    public let version: UInt64

    @usableFromInline let transition: QueryTransition<Element, NoPayload>

    @inlinable
    init(_ transition: QueryTransition<Element, NoPayload>, version: UInt64) {
        self.version = version
        self.transition = transition
    }

    /// The identifiers of the elements, in their order, after the commit.
    ///
    /// - Complexity: O(*n*) in the number of elements.
    public var ids: [Element.ID] { transition.ids }

    /// The identifiers of the elements, in their order, before the commit.
    ///
    /// - Complexity: O(*n*) in the number of elements.
    public var oldIDs: [Element.ID] { transition.oldIDs }

    /// A Boolean value that indicates whether elements were inserted, removed or moved.
    ///
    /// - Complexity: As for ``difference``.
    public var hasNewOrder: Bool { !transition.difference.isEmpty }

    /// The removals and insertions that turn the old order into the new one.
    ///
    /// To get moves, infer them from the result: `difference.inferringMoves()`.
    ///
    /// For example, if the element at position 3 moves to the start, the difference removes it at 3
    /// and inserts it at 0.
    ///
    /// - Complexity: O(*k* log *n*) for *k* changed rows of *n*.
    @inlinable public var difference: CollectionDifference<Element.ID> {
        transition.collectionDifference
    }
}
