extension CachedQuery: CacheSource {
    /// A change to the elements or to their order.
    public typealias Change = QueryChange<Element>

    /// The elements, in their order: ``elements``.
    public var state: [Element] { elements }

    /// Keeps the query current, and calls a closure after each commit that changes its result.
    public func _observe(
        initial: Bool,
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StateNotification<[Element]>) -> Void
    ) -> Disposable {
        live.observe(in: core, initial: initial, delivery: delivery, "observe(…)") {
            [live, core] _, _ in
            receive(.latest { live.read(in: core) { $0.elements(at: 0...) } })
        }
    }

    /// Keeps the query current, and calls a closure with each change of its result.
    public func _observeChanges(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (QueryChange<Element>) -> Void
    ) -> Disposable {
        live.observeChanges(in: core, delivery: delivery) {
            receive(QueryChange($0, version: $1))
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
    /// - Complexity: O(*k* log *n*) for *k* changed elements of *n*.
    public var changedIDs: Set<Element.ID> { transition.updatedIDs }

    /// The number of the commit.
    ///
    /// If an observation begins during the query's first run, its first change includes all commits
    /// from then to the end of the run.
    public let version: UInt64

    private let transition: QueryTransition<Element, NoPayload>

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
    /// - Complexity: O(*k* log *n*) for *k* changed elements of *n*.
    public var difference: CollectionDifference<Element.ID> {
        transition.difference.collectionDifference()
    }
}
