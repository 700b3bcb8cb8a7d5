/// A state of a cache that can be read and observed: an entity, a list, an alias, a query, a
/// projection or the progress of a load.
///
/// All sources are read, observed and awaited by the same members:
///
/// ```swift
/// let book = cache.cached(Book.self, id: 1)
/// let classics = cache.query(Book.self).where { ($0.year ?? .max) < 1970 }.sorted(by: \.title)
///
/// let tokens = [
///     book.observe { book in print(book.title) },
///     classics.observe { books in print(books.map(\.title)) },
/// ]
/// for await books in classics.values { print(books.count) }
/// ```
///
/// A function that works for all sources takes `some CacheSource`. The types of FlatCache and
/// FlatCachePersistence are the only ones that conform to the protocol.
public protocol CacheSource<State>: Sendable {
    /// The state that a read returns, such as `Book?` or `[Book]`.
    associatedtype State: Sendable
    /// The states that ``observe(initial:delivery:_:)`` and ``first(isolation:where:)`` pass on.
    ///
    /// For an entity it's the value, for other sources the state.
    associatedtype Present: Sendable = State
    /// A change from one state to the next.
    associatedtype Change: Sendable

    /// The latest state.
    var state: State { get }

    /// Returns the state in the form that observers receive, or `nil` if they don't receive it.
    static func present(_ state: State) -> Present?

    /// Calls a closure after each commit that changes the state.
    ///
    /// It's an implementation detail: call ``observe(initial:delivery:_:)`` instead. The closure is
    /// released when the observation ends or the cache is deallocated.
    func _observe(
        initial: Bool,
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StateNotification<State>) -> Void
    ) -> Disposable

    /// Calls a closure with each change of the state.
    ///
    /// It's an implementation detail: call ``observeChanges(delivery:_:)`` instead.
    func _observeChanges(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (Change) -> Void
    ) -> Disposable
}

extension CacheSource where Present == State {
    /// Returns the state itself.
    public static func present(_ state: State) -> State? { state }
}

extension CacheSource {
    /// Calls a closure with the state after each commit that changes it.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// let observation = bestsellers.observe(initial: true) { books in print(books.map(\.title)) }
    /// bestsellers.append(contentsOf: [Book(id: 4, title: "Kindred")])  // prints all titles
    /// ```
    ///
    /// An entity also changes if anything that it refers to does, at any depth, and so do a list
    /// and an alias: ``Cached/following(_:)`` limits the depth. Neither the entity nor the entities
    /// that it refers to need to exist yet. The observer of an entity receives the value that the
    /// commit left, even if a later commit has replaced it by the time of the call. If the value
    /// becomes stale, the observer receives it once more. A removal leaves no value, so the
    /// observer isn't called: to observe removals, use ``observeChanges(delivery:_:)``.
    ///
    /// The observers of other sources receive the latest state at the time of the call, all from
    /// one version. If other commits have followed by then, each of them still causes a separate
    /// call.
    ///
    /// The first observation of a query or a projection runs the query on the calling thread, and
    /// waits for no writer. The observation of a loading handle loads the entity: see
    /// ``Cached/loading(_:requiring:)``.
    ///
    /// ## Concurrency
    /// The closure is called under no lock, once per commit and in commit order. The cache makes
    /// one call at a time, and within one commit calls observers in the order of their
    /// registration. The committing thread calls the closure before its write returns. If another
    /// thread or a callback further up the stack is already delivering, that one may call it
    /// instead. The closure may read, write and observe: its writes are committed at once, and
    /// their notifications follow after it returns.
    ///
    /// Registration waits for no other thread. The observation starts from a version that is
    /// visible during this call. The initial call shows that version, and all later commits notify
    /// the observer after the initial call. The observation lasts as long as its token, also after
    /// the source is released. If the cache is deallocated, it drops the pending calls of all
    /// sources but entities.
    ///
    /// - Parameters:
    ///   - initial: If `true`, the closure is called first with the present state. An entity
    ///     without a value causes no call. The initial call is delivered like all others: normally
    ///     before this method returns. If another thread is delivering, that thread makes it. If
    ///     this method is called inside a callback or a batch, it's made afterwards.
    ///   - delivery: The delivery that decides where and when the cache calls the closure.
    ///   - body: A closure that receives the state.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: O(*n*) in the number of elements or rows for each call.
    @inlinable
    public func observe(
        initial: Bool = false,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (Present) -> Void
    ) -> Disposable {
        _observe(initial: initial, delivery: delivery) { notification in
            if let state = notification.state, let present = Self.present(state) { body(present) }
        }
    }

    /// Calls a closure on the observing actor with the state after each commit that changes it.
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
    ///   - initial: If `true`, the closure is called first with the present state.
    ///   - body: A closure that receives the state, as for ``observe(initial:delivery:_:)``.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    public func observe(
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        _ body: @escaping (Present) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        let delivery = CacheDelivery.isolated(toCaller: actor, of: "observe(isolation:…)")
        return observe(initial: initial, delivery: delivery) { body($0) }
    }

    /// Calls a closure with each change of the state, removals included.
    ///
    /// ```swift
    /// let book = cache.cached(Book.self, id: 1)
    /// let observation = book.observeChanges { change in
    ///     print(change.kind)  // removed (explicit)
    /// }
    /// cache.remove(Book.self, id: 1)
    /// ```
    ///
    /// The kind of an entity's change is `.inserted`, `.updated`, `.removed` or `.becameStale` if
    /// the entity itself changes, and `.related` if only something that it refers to does.
    ///
    /// The changes of lists, queries and their projections contain no elements, and compute a
    /// difference when you ask for it. So a change to one of many elements costs as much as
    /// notifying an observer of that element alone.
    ///
    /// If an observation begins during another thread's first run of a query, its first change
    /// covers the commits from then to the end of the run. It's empty if these commits cancel each
    /// other out, since the elements may have been read in between.
    ///
    /// ## Concurrency
    /// As for ``observe(initial:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - delivery: The delivery that decides where and when the cache calls the closure.
    ///   - body: A closure that receives each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: O(log *n*) for each changed group of ``QueryGroups``, otherwise O(1) for each
    ///   call.
    @inlinable
    public func observeChanges(
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (Change) -> Void
    ) -> Disposable {
        _observeChanges(delivery: delivery, body)
    }

    /// Calls a closure on the observing actor with each change of the state, removals included.
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
    /// See ``observe(isolation:initial:_:)`` and ``observeChanges(delivery:_:)``.
    public func observeChanges(
        isolation actor: isolated (any Actor)?,
        _ body: @escaping (Change) -> Void
    ) -> Disposable {
        let body = IsolatedBody(of: actor, body)
        let delivery = CacheDelivery.isolated(toCaller: actor, of: "observeChanges(isolation:…)")
        return observeChanges(delivery: delivery) { body($0) }
    }
}

extension CacheSource {
    /// A sequence of the states: the present one, and one after each commit that changes it.
    ///
    /// ```swift
    /// for await book in cache.cached(Book.self, id: 1).values {
    ///     print(book?.title ?? "removed")
    /// }
    /// ```
    ///
    /// A consumer that is slower than the commits receives the newest state without those in
    /// between, and never an older state after a newer one. To receive every change, use
    /// ``changes(buffering:)``.
    ///
    /// - Complexity: O(*n*) in the number of elements or rows for each state that the consumer
    ///   takes.
    public var values: CacheSequence<State> {
        CacheSequence(.newest(1)) { [self] sender in
            _observe(initial: true, delivery: .inline, sender.send)
        }
    }

    /// A sequence of all changes of the state, in commit order.
    ///
    /// See ``changes(buffering:)``.
    public var changes: CacheSequence<Change> { changes() }

    /// Returns a sequence of all changes of the state, in commit order.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// for await change in bestsellers.changes(buffering: .newest(9)) {
    ///     print(change.oldIDs, "->", change.ids)
    /// }
    /// ```
    ///
    /// - Parameter policy: The policy that buffers changes for a consumer that is slower than the
    ///   commits. With `.unbounded`, the consumer misses no change.
    public func changes(buffering policy: BufferingPolicy = .unbounded) -> CacheSequence<Change> {
        CacheSequence(policy) { [self] sender in
            _observeChanges(delivery: .inline) { sender.send(.known($0)) }
        }
    }
}

/// A notification of a state.
public enum StateNotification<State: Sendable>: Sendable {
    /// The state that the commit left.
    case known(State)
    /// A function that reads the latest state when the consumer takes it, or returns `nil` if the
    /// state was removed with its cache.
    ///
    /// It serves states that take long to collect, such as the elements of a list: a slow consumer
    /// collects only the states that it takes.
    case latest(@Sendable () -> State?)

    /// The state for the consumer, or `nil` if it no longer exists.
    @inlinable package var state: State? {
        switch self {
        case .known(let state): state
        case .latest(let read): read()
        }
    }
}

/// A change from one value to another one.
///
/// ```swift
/// let copies = cache.query(Book.self).aggregate(.sum(of: \.copies))
/// let observation = copies.observeChanges { change in
///     print((change.new ?? 0) - (change.old ?? 0), "copies more")
/// }
/// ```
public struct ValueChange<Value: Sendable>: Sendable {
    /// The value before the change.
    public let old: Value
    /// The value after the change.
    public let new: Value

    @usableFromInline
    package init(old: Value, new: Value) {
        self.old = old
        self.new = new
    }
}
