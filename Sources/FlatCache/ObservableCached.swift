public import Observation

/// An entity of a cache for the Observation framework: for SwiftUI views and
/// `withObservationTracking`.
///
/// ```swift
/// import FlatCache
/// import Observation
///
/// let book = cache.cached(Book.self, id: 1).observable
/// withObservationTracking {
///     print(book.value?.title ?? "not there")
/// } onChange: {
///     print("no longer")
/// }
/// ```
///
/// Whoever reads ``value`` while tracked hears of the next commit that changes the entity or
/// anything that it refers to: once, after the commit has become visible, so that reading again
/// shows it.
///
/// It observes for as long as it lives, and keeps neither the value nor the cache. Keep it, in a
/// view's `@State` or in a model: once it has gone nobody is told any more, not even who has read
/// through it.
///
/// ## Concurrency
/// It may be used on any thread. Trackers are told on the main actor, unless another delivery is
/// given. That matters, since the Observation framework takes note of who tracks only when the tracked
/// reading has ended: of what is told on another thread in the middle of it nobody hears. So let
/// trackers be told on the actor that reads. Then no change between two reads is lost: either the
/// first has shown it already, or the tracker is told after it.
///
/// A service that reads on an actor of its own says so:
///
/// ```swift
/// actor Titles {
///     private var book: ObservableCached<Book>?
///
///     func show(_ book: Cached<Book>) {
///         self.book = ObservableCached(book, delivery: .isolated(to: self))
///     }
/// }
/// ```
public final class ObservableCached<Value: Identifiable & Sendable>: Observable, Identifiable,
    Sendable
where Value.ID: Sendable {
    /// The handle that this reads and writes through.
    public let cached: Cached<Value>

    private let trackers: Trackers
    private let observation: Disposable

    /// Creates an observable for a handle's entity.
    ///
    /// - Parameters:
    ///   - cached: The handle.
    ///   - following: How far the entity's relationships are followed.
    ///   - delivery: Where and when trackers are told: on the actor that reads, if no change is to be
    ///     missed.
    public init(
        _ cached: Cached<Value>,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .isolated(to: MainActor.shared)
    ) {
        let trackers = Trackers()
        self.cached = cached
        self.trackers = trackers
        observation = cached.observeChanges(following: following, delivery: delivery) { _ in
            trackers.tell()
        }
    }

    /// The identifier of the entity.
    public var id: Value.ID { cached.id }

    /// The latest value, or `nil` if there is none or the cache has gone.
    ///
    /// Setting it writes through, as ``Cached/value`` does.
    public var value: Value? {
        get {
            // Noted before the value is read: what is told in between concerns a tracker, too.
            trackers.note()
            return cached.value
        }
        set { cached.value = newValue }
    }

    /// Changes the value in place, if there is one: an atomic read, modification and write.
    ///
    /// See ``Cache/update(_:id:_:)``.
    ///
    /// - Parameter body: Changes the value, whose identifier it must leave as it is.
    /// - Returns: What is stored now, or `nil` if there was no value or the cache has gone; the closure
    ///   was not called then.
    /// - Throws: What the closure throws.
    @discardableResult
    public func update<Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Void
    ) throws(Failure) -> Value? {
        try cached.update(body)
    }
}

extension Cached {
    /// The entity for the Observation framework, made anew each time; its trackers are told on the main
    /// actor.
    ///
    /// Keep it: it tells nobody once it has gone. To give it another delivery make it with its
    /// initializer.
    public var observable: ObservableCached<Value> { ObservableCached(self) }
}
