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
    /// a call of its own. If the cache is deallocated, it drops the pending calls.
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
