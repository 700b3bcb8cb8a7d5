extension CachedList {
    /// Calls a closure on the actor that observes with the values of the elements whenever the order,
    /// an element, or anything that an element refers to changes.
    ///
    /// ## Concurrency
    /// As for ``Cached/observe(isolation:initial:following:_:)``; the values are the latest that are
    /// there when the closure is called.
    ///
    /// - Parameters:
    ///   - actor: The actor that the caller is isolated to: `#isolation`.
    ///   - initial: Whether the closure is called at first.
    ///   - following: How far the relationships of the elements are followed; with ``RelationshipDepth/none``
    ///     the order and the elements themselves are.
    ///   - body: Called with the values of the elements that are there, in their order.
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

    /// Calls a closure on the actor that observes with each change to the order, to an element, or to
    /// anything that an element refers to.
    ///
    /// ## Concurrency
    /// As for ``Cached/observe(isolation:initial:following:_:)``.
    ///
    /// - Parameters:
    ///   - actor: The actor that the caller is isolated to: `#isolation`.
    ///   - following: How far the relationships of the elements are followed; with ``RelationshipDepth/none``
    ///     the order and the elements themselves are.
    ///   - body: Called with each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
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
