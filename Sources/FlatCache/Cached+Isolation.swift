extension Cached {
    /// Calls a closure on the actor that observes with the latest value whenever the entity, or
    /// anything that it refers to, changes.
    ///
    /// ```swift
    /// @MainActor
    /// final class BookTitle {
    ///     private(set) var text = ""
    ///     private var observation: Disposable?
    ///
    ///     init(book: Cached<Book>) {
    ///         observation = book.observe(isolation: #isolation, initial: true) { [weak self] book in
    ///             self?.text = book.title
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// ## Concurrency
    /// The closure is called on the actor, later than the commit but in commit order, once per
    /// commit, one call at a time. After ``Disposable/dispose()`` has returned no call starts; on the
    /// actor itself this means that the last one has ended. The first call, if `initial` asks for
    /// one, is made in the same way.
    ///
    /// The observation does not keep the actor alive, which may thus hold the token; when it has gone,
    /// nothing is called any more. The closure is released where the observation ends: on the thread
    /// that disposes of the token, if no call is under way. So dispose on the actor if what only the
    /// closure holds has a `deinit` that belongs there.
    ///
    /// - Parameters:
    ///   - actor: The actor that the caller is isolated to: `#isolation`. Outside of any actor is a
    ///     programmer's error and traps.
    ///   - initial: Whether the closure is called at first with the value that is there, if there is
    ///     one.
    ///   - following: How far the entity's relationships are followed.
    ///   - body: Called with the latest value.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    public func observe(
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping (Value) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        return observe(
            initial: initial,
            following: following,
            delivery: .isolated(toCaller: actor, of: "observe(isolation:…)")
        ) { body($0) }
    }

    /// Calls a closure on the actor that observes with each change to the entity or to anything that
    /// it refers to, removals included.
    ///
    /// See ``observe(isolation:initial:following:_:)`` and
    /// ``Cache/observeChanges(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - actor: The actor that the caller is isolated to: `#isolation`.
    ///   - initial: Whether the closure is called at first with the value that is there, if there is
    ///     one, as if it had just been inserted.
    ///   - following: How far the entity's relationships are followed.
    ///   - body: Called with each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    public func observeChanges(
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        _ body: @escaping (EntityChange<Value>) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        return observeChanges(
            initial: initial,
            following: following,
            delivery: .isolated(toCaller: actor, of: "observeChanges(isolation:…)")
        ) { body($0) }
    }
}

extension CacheDelivery {
    /// The delivery to the actor that has called an operation, for as long as there is that actor.
    static func isolated(toCaller actor: (any Actor)?, of operation: StaticString) -> CacheDelivery
    {
        guard let actor else {
            preconditionFailure(
                """
                \(operation) was called outside of any actor, so there is none to call back. Call it \
                from one, or use the form without isolation.
                """
            )
        }
        return CacheDelivery { [weak actor] work in
            // What is due goes away, then: no `IsolatedBody` of an actor that has gone is called.
            guard let actor else { return work() }
            Task.detached { await run(work, on: actor) }
        }
    }
}
