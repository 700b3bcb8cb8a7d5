extension Cached {
    /// Calls a closure on the observing actor with the latest value whenever the entity, or
    /// anything that it refers to, changes.
    ///
    /// ```swift
    /// @MainActor
    /// final class BookTitle {
    ///     private(set) var text = ""
    ///     private var observation: Disposable?
    ///
    ///     init(book: Cached<Book>) {
    ///         observation = book.observe(isolation: #isolation, initial: true) {
    ///             [weak self] book in
    ///             self?.text = book.title
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// ## Concurrency
    /// The closure is called on the actor, later than the commit but in commit order, once per
    /// commit, one call at a time. After ``Disposable/dispose()`` returns, no call starts. If you
    /// dispose on the actor itself, the last call has also ended by then. The initial call, if
    /// there is one, is delivered in the same way.
    ///
    /// The observation doesn't retain the actor, so the actor can hold the token. After the actor
    /// is deallocated, the closure is no longer called. The thread that disposes of the token
    /// releases the closure, if no call is in progress. If the closure holds the last reference to
    /// an object whose `deinit` must run on the actor, dispose on the actor.
    ///
    /// - Parameters:
    ///   - actor: The actor that the caller is isolated to: `#isolation`. Calling the method
    ///     outside of any actor is a programmer error and traps.
    ///   - initial: If `true`, the closure is called first with the current value, if there is one.
    ///   - following: The depth to which the observation follows the entity's relationships.
    ///   - body: A closure that receives the latest value.
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

    /// Calls a closure on the observing actor with each change to the entity or to anything that it
    /// refers to, removals included.
    ///
    /// ```swift
    /// @MainActor
    /// final class BookScreen {
    ///     private var observation: Disposable?
    ///
    ///     init(_ book: Cached<Book>) {
    ///         observation = book.observeChanges(isolation: #isolation) { [weak self] change in
    ///             if change.kind.isRemoval { self?.close() }
    ///         }
    ///     }
    ///
    ///     func close() {}
    /// }
    /// ```
    ///
    /// See ``observe(isolation:initial:following:_:)`` and
    /// ``Cache/observeChanges(_:id:initial:following:delivery:_:)``.
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
    /// Returns the delivery to the actor that called an operation.
    ///
    /// The delivery doesn't retain the actor.
    static func isolated(toCaller actor: (any Actor)?, of operation: StaticString) -> CacheDelivery
    {
        guard let actor else {
            preconditionFailure(
                """
                \(operation) was called outside of any actor, so there is no actor to call back. \
                Call it from an actor, or use the method without isolation.
                """
            )
        }
        return CacheDelivery { [weak actor] work in
            // After the actor is deallocated, its pending work only releases its closures: an
            // `IsolatedBody` doesn't call a closure whose actor is gone.
            guard let actor else { return work() }
            Task.detached { await run(work, on: actor) }
        }
    }
}
