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
