/// Where and when observers are called.
///
/// A cache has one for all of its observations, and each observation may add one of its own:
///
/// ```swift
/// let cache = Cache()
/// let later = Delivery { work in Task { work() } }
/// let observation = cache.observe(Book.self, id: 1, delivery: later) { print($0.title) }
/// ```
///
/// Whatever the delivery, the calls of one observation come in commit order and one at a time, even
/// if what is handed to run later runs on several threads at once. After ``Disposable/dispose()``
/// has returned none starts.
///
/// The module `FlatCacheDispatch` adds `.queue(_:)` and `.main`.
public struct CacheDelivery: Sendable {
    /// Runs a closure later; `nil` for inline.
    let runLater: (@Sendable (_ work: @escaping @Sendable () -> Void) -> Void)?

    /// Whether observers are called at once.
    package var isInline: Bool { runLater == nil }

    private init(orInline runLater: (@Sendable (@escaping @Sendable () -> Void) -> Void)?) {
        self.runLater = runLater
    }

    /// Creates a delivery from any function that runs a closure later.
    ///
    /// ## Concurrency
    /// The function is called by a thread that commits or delivers, under no lock, and again only
    /// when what it was given has run: a closure that never runs holds up all later calls, and what
    /// they bring stays in memory. One closure makes the calls that are due when it runs, up to some
    /// hundreds.
    ///
    /// - Parameter runLater: Runs the closure that it is given, once, on whatever thread, now or
    ///   later.
    public init(
        _ runLater: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
    ) {
        self.init(orInline: runLater)
    }

    /// Calls observers at once.
    ///
    /// For a cache this means: on the thread that commits, before its call returns, unless another
    /// thread, or this one further up its stack, is delivering already; then that one may make the
    /// call. Under load it may be a thread of the cache's own. For an observation it means: as the
    /// cache delivers.
    public static let inline = CacheDelivery(orInline: nil)

    /// Calls observers on an actor.
    ///
    /// The calls have the default priority and no task-local values: they belong to no single commit.
    ///
    /// - Parameter actor: The actor, which the delivery keeps alive.
    public static func isolated(to actor: any Actor) -> CacheDelivery {
        CacheDelivery { work in
            Task.detached { await run(work, on: actor) }
        }
    }

    static func run(_ work: () -> Void, on actor: isolated any Actor) { work() }
}
