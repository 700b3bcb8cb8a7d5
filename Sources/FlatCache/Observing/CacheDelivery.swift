/// A way to call observers: inline, later, or on an actor.
///
/// A cache has one delivery for all of its observations, and each observation may add another one:
///
/// ```swift
/// let cache = Cache()
/// let later = CacheDelivery { work in Task { work() } }
/// let observation = cache.cached(Book.self, id: 1).observe(delivery: later) { print($0.title) }
/// ```
///
/// The calls of one observation are made in commit order and one at a time, even if the delivery
/// runs its closures on several threads. No call starts after ``Disposable/dispose()`` has
/// returned.
///
/// The module `FlatCacheDispatch` adds `.queue(_:)` and `.main`.
public struct CacheDelivery: Sendable {
    /// The function that runs a closure later, or `nil` for inline delivery.
    let runLater: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Void)?

    /// `true` if observers are called inline.
    package var isInline: Bool { runLater == nil }

    private init(orInline runLater: (@Sendable (@escaping @Sendable () -> Void) -> Void)?) {
        self.runLater = runLater
    }

    /// Creates a delivery from a function that runs a closure later.
    ///
    /// ```swift
    /// let later = CacheDelivery { work in Task { work() } }
    /// let book = cache.cached(Book.self, id: 1)
    /// let observation = book.observe(delivery: later) { print($0.title) }
    /// ```
    ///
    /// ## Concurrency
    /// A thread that commits, observes or delivers calls the function, under no lock. It calls the
    /// function again only after the previous closure has run. A closure that never runs therefore
    /// holds up all later calls and keeps their events in memory. Each closure makes the calls that
    /// are due when it runs, of up to a few hundred commits.
    ///
    /// - Parameter runLater: A function that runs its argument once, on any thread, now or later.
    public init(
        _ runLater: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
    ) {
        self.init(orInline: runLater)
    }

    /// A delivery that calls observers inline.
    ///
    /// As the delivery of a cache, it calls observers on the committing thread, before the write
    /// returns. If another thread, or a callback further up the same thread's stack, is already
    /// delivering, that one may make the calls instead. Under load, a thread of the cache's own may
    /// make them. As the delivery of an observation, it calls the observer wherever the cache
    /// delivers.
    public static let inline = CacheDelivery(orInline: nil)

    /// Returns a delivery that calls observers on an actor.
    ///
    /// ```swift
    /// actor Shelf {
    ///     var titles: [String] = []
    /// }
    ///
    /// let shelf = Shelf()
    /// let book = cache.cached(Book.self, id: 1)
    /// let observation = book.observe(delivery: .isolated(to: shelf)) { book in
    ///     shelf.assumeIsolated { $0.titles.append(book.title) }
    /// }
    /// ```
    ///
    /// The calls have the default priority and no task-local values, because they belong to no
    /// single commit.
    ///
    /// - Parameter actor: The actor. The delivery keeps it alive.
    public static func isolated(to actor: any Actor) -> CacheDelivery {
        CacheDelivery { work in
            Task.detached { await run(work, on: actor) }
        }
    }

    static func run(_ work: () -> Void, on actor: isolated any Actor) { work() }

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
