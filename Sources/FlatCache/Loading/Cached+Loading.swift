extension Cached {
    /// Returns a handle that loads the entity while it's observed.
    ///
    /// ```swift
    /// cache.setLoader(for: Book.self) { ids in try await api.books(ids) }
    /// let book = cache.cached(Book.self, id: 1).loading()
    /// let observation = book.observe(initial: true) { print($0.title) }
    /// ```
    ///
    /// While at least one observation of the handle lasts, whether by a closure, a sequence, a
    /// publisher or an ``ObservableCached``, the handle loads the entity with the loader of its
    /// type: when an observation begins, if the entity is missing or stale, and again whenever it
    /// becomes stale or is invalidated. If the entity is removed, the handle doesn't load it until
    /// it's invalidated or a new observation begins. When the last observation ends, the handle no
    /// longer waits for a call, nor repeats a failed one.
    ///
    /// A failed load is repeated after a pause of 1, 2, 4 seconds and so on, up to 60 seconds. Each
    /// pause is up to a quarter longer. An invalidation repeats the load at once. ``loadState``
    /// shows the progress: if the entity has to be loaded, it's ``LoadState/loading`` as soon as
    /// the observation has begun.
    ///
    /// The policies ``LoadPolicy/cacheFirst`` and ``LoadPolicy/staleWhileRevalidate`` have the same
    /// effect here, since a handle shows the stored value in any case. With
    /// ``LoadPolicy/networkOnly``, the first observation loads the entity even if it's fresh. With
    /// ``LoadPolicy/cacheOnly``, the handle loads nothing.
    ///
    /// ## Concurrency
    /// The method waits for no other thread. Observing a handle of a type without a loader is a
    /// programmer error and traps. The loads inherit neither priority nor task-local values.
    ///
    /// - Parameters:
    ///   - policy: The rule by which the handle uses the stored value.
    ///   - requirement: A closure that returns whether a value is whole. A value for which it
    ///     returns `false` is loaded as if it were missing. The loader's own requirement applies
    ///     too. The closure may be called on any thread.
    /// - Returns: A new handle to the same entity.
    public func loading(
        _ policy: LoadPolicy = .cacheFirst,
        requiring requirement: (@Sendable (Value) -> Bool)? = nil
    ) -> Cached<Value> {
        Cached(self, LoadOptions(policy: policy, requirement: requirement))
    }

    /// The progress of a loading handle, and ``LoadState/idle`` for other handles.
    ///
    /// Each handle that ``loading(_:requiring:)`` returns has its own state.
    public var loadState: LoadState { loading?.loadState ?? .idle }

    /// Calls a closure with the latest load state whenever it changes.
    ///
    /// ```swift
    /// let earthsea = cache.cached(Book.self, id: 1).loading()
    /// let observation = earthsea.observeLoadState(initial: true) { state in
    ///     print(state.isLoading ? "Loading …" : state.error.map { "\($0)" } ?? "")
    /// }
    /// ```
    ///
    /// Observing the load state alone loads nothing.
    ///
    /// ## Concurrency
    /// As for ``observe(initial:following:delivery:_:)``, in one order with the notifications of
    /// the cache's commits.
    ///
    /// - Parameters:
    ///   - initial: If `true`, the closure is called first with the present state.
    ///   - delivery: The delivery that decides where and when the cache calls the closure.
    ///   - body: A closure that receives the state.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    public func observeLoadState(
        initial: Bool = false,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (LoadState) -> Void
    ) -> Disposable {
        // A handle that doesn't load is always idle, but its observations end with the cache.
        let loading =
            loading
            ?? HandleLoading(
                id,
                in: table,
                of: core,
                LoadOptions(policy: .cacheOnly, requirement: nil)
            )
        return loading.observe(initial: initial, delivery: delivery, body)
    }

    /// Calls a closure on the observing actor with the latest load state whenever it changes.
    ///
    /// See ``observeLoadState(initial:delivery:_:)`` and
    /// ``observe(isolation:initial:following:_:)``.
    public func observeLoadState(
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        _ body: @escaping (LoadState) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        return observeLoadState(
            initial: initial,
            delivery: .isolated(toCaller: actor, of: "observeLoadState(isolation:…)")
        ) { body($0) }
    }

    /// A sequence of the load states: the present one, and one after each change.
    ///
    /// ```swift
    /// for await state in cache.cached(Book.self, id: 1).loading().loadStates {
    ///     print(state.isLoading ? "Loading …" : "")
    /// }
    /// ```
    ///
    /// A slow consumer receives the newest state and misses the states in between.
    public var loadStates: CacheSequence<LoadState> { loadStateSource.sequence }

    /// A source of the load states.
    package var loadStateSource: StateSource<LoadState> {
        StateSource { [self] delivery, receive in
            observeLoadState(initial: true, delivery: delivery) { receive(.known($0)) }
        }
    }
}

extension ObservableCached {
    /// The progress of a loading handle, for a progress indicator.
    ///
    /// See ``Cached/loadState``. A tracker that reads the property is notified of its next change.
    public var loadState: LoadState {
        loadTrackers.access()
        return cached.loadState
    }
}
