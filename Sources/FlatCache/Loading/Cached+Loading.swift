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
    /// publisher or an ``Observed``, the handle loads the entity with the loader of its
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
        let options = LoadOptions(policy: policy, requirement: requirement)
        let loading = HandleLoading(id, in: table, of: core, options)
        return Cached(self, HandleOptions(following: depth, loading: loading))
    }

    /// The progress of a loading handle, and ``LoadState/idle`` for other handles.
    ///
    /// Each handle that ``loading(_:requiring:)`` returns has its own state.
    public var loadState: LoadState { loading?.loadState ?? .idle }

    /// The progress of a loading handle, to observe and to await.
    ///
    /// ```swift
    /// let earthsea = cache.cached(Book.self, id: 1).loading()
    /// let observation = earthsea.loadStates.observe(initial: true) { state in
    ///     print(state.isLoading ? "Loading …" : state.error.map { "\($0)" } ?? "")
    /// }
    /// ```
    ///
    /// Observing the progress alone loads nothing. The notifications are in one order with those of
    /// the cache's commits. A handle that doesn't load is always idle.
    public var loadStates: LoadStates {
        // The observations of a handle that doesn't load end with the cache, too.
        LoadStates(
            loading
                ?? HandleLoading(
                    id,
                    in: table,
                    of: core,
                    LoadOptions(policy: .cacheOnly, requirement: nil)
                )
        )
    }
}

extension Cached: LoadingSource {}

/// A source that loads while it's observed.
public protocol LoadingSource: CacheSource {
    /// The progress of the load, to observe and to await.
    var loadStates: LoadStates { get }
    /// The present progress of the load.
    var loadState: LoadState { get }
}

/// The progress of a load.
///
/// ```swift
/// for await state in cache.cached(Book.self, id: 1).loading().loadStates.values {
///     print(state.isLoading ? "Loading …" : "")
/// }
/// ```
public struct LoadStates: CacheSource {
    let load: any ReportedLoad

    init(_ load: any ReportedLoad) { self.load = load }

    /// The present progress.
    public var state: LoadState { load.loadState }

    /// Calls a closure with each new state.
    public func _observe(
        initial: Bool,
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StateNotification<LoadState>) -> Void
    ) -> Disposable {
        load.observe(initial: initial, delivery: delivery) { receive(.known($0)) }
    }

    /// Calls a closure with each change.
    public func _observeChanges(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (ValueChange<LoadState>) -> Void
    ) -> Disposable {
        // The initial call comes first and delivers the state before the first change.
        let previous = Locked<LoadState?>(nil)
        return load.observe(initial: true, delivery: delivery) { state in
            let old = previous.withLock { previous in
                defer { previous = state }
                return previous
            }
            if let old { receive(ValueChange(old: old, new: state)) }
        }
    }
}

/// A load whose progress can be read and observed, of an entity of any type.
protocol ReportedLoad: Sendable {
    /// The key of the entity.
    var key: CacheKey { get }
    var loadState: LoadState { get }

    /// Adds an observation of the load state.
    func observe(
        initial: Bool,
        delivery: CacheDelivery,
        _ body: @escaping @Sendable (LoadState) -> Void
    ) -> Disposable
}

extension HandleLoading: ReportedLoad {}
