extension CachedList {
    /// Calls a closure on the calling actor with the values of the elements whenever the order, an
    /// element, or anything that an element refers to changes.
    ///
    /// ```swift
    /// @MainActor
    /// final class BestsellersScreen {
    ///     private var titles: [String] = []
    ///     private var observation: Disposable?
    ///
    ///     init(_ bestsellers: CachedList<Book>) {
    ///         observation = bestsellers.observe(isolation: #isolation) { [weak self] books in
    ///             self?.titles = books.map(\.title)
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// ## Concurrency
    /// See ``Cached/observe(isolation:initial:following:_:)``. The values are the latest ones at
    /// the time of the call.
    ///
    /// - Parameters:
    ///   - actor: The actor to which the caller is isolated: `#isolation`.
    ///   - initial: A Boolean value that indicates whether the closure is also called when the
    ///     observation begins.
    ///   - following: The depth to which the relationships of the elements are followed. With
    ///     ``RelationshipDepth/none``, only the order and the elements themselves are observed.
    ///   - body: A closure that receives the values of the existing elements, in their order.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: O(*n*) in the number of elements for each call.
    public func observe(
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping ([Element]) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        return observe(
            initial: initial,
            following: following,
            delivery: .isolated(toCaller: actor, of: "observe(isolation:…)")
        ) { body($0) }
    }

    /// Calls a closure on the calling actor with each change to the order, to an element, or to
    /// anything that an element refers to.
    ///
    /// ## Concurrency
    /// See ``Cached/observe(isolation:initial:following:_:)``.
    public func observeChanges(
        isolation actor: isolated (any Actor)?,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping (ListChange<Element>) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        return observeChanges(
            following: following,
            delivery: .isolated(toCaller: actor, of: "observeChanges(isolation:…)")
        ) { body($0) }
    }
}
