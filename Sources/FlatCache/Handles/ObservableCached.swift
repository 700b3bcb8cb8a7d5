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
/// A tracker that reads ``value`` is notified once, by the next commit that changes the entity or
/// anything that it refers to. The notification follows the commit, so that another read shows its
/// result.
///
/// The object observes the entity for as long as it exists, and retains neither the value nor the
/// cache. Keep it in a view's `@State` or in a model: after it is deallocated, its trackers are no
/// longer notified.
///
/// ## Concurrency
/// You can use the object on any thread. Trackers are notified on the main actor, unless you pass
/// another delivery. The Observation framework registers a tracker only when its tracked read ends,
/// so a notification on another thread during that read is lost. Therefore deliver the
/// notifications on the actor that reads. Then no change between two reads is lost: either the
/// first read has shown it, or the tracker is notified after it.
///
/// A service that reads on its own actor passes that actor:
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
    /// The handle through which the object reads and writes.
    public let cached: Cached<Value>

    private let trackers: Trackers
    private let observation: Disposable
    let loadTrackers: Trackers
    private let loadObservation: Disposable?

    /// Creates an observable object for a handle's entity.
    ///
    /// - Parameters:
    ///   - cached: The handle.
    ///   - following: The depth to which the observation follows the entity's relationships.
    ///   - delivery: The delivery that decides where and when trackers are notified. To miss no
    ///     change, use the actor that reads.
    public init(
        _ cached: Cached<Value>,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .isolated(to: MainActor.shared)
    ) {
        let trackers = Trackers()
        self.cached = cached
        self.trackers = trackers
        observation = cached.observeChanges(following: following, delivery: delivery) { _ in
            trackers.notify()
        }
        let loadTrackers = Trackers()
        self.loadTrackers = loadTrackers
        loadObservation = cached.loading?.observe(initial: false, delivery: delivery) { _ in
            loadTrackers.notify()
        }
    }

    /// The identifier of the entity.
    public var id: Value.ID { cached.id }

    /// The latest value, or `nil` if there is none or the cache has been deallocated.
    ///
    /// Setting the property writes to the cache, as ``Cached/value`` does.
    public var value: Value? {
        get {
            // The access is registered before the read, so that a commit in between notifies the
            // tracker too.
            trackers.access()
            return cached.value
        }
        set { cached.value = newValue }
    }

    /// Changes the value in place, if there is one: an atomic read, modification and write.
    ///
    /// ```swift
    /// let earthsea = cache.cached(Book.self, id: 1).observable
    /// earthsea.update { $0.copies += 1 }
    /// ```
    ///
    /// See ``Cache/update(_:id:_:)``.
    ///
    /// - Parameter body: A closure that changes the value. It must not change the identifier.
    /// - Returns: The value that is now stored. If there was no value or the cache has been
    ///   deallocated, the closure isn't called and the result is `nil`.
    /// - Throws: Any error that the closure throws.
    @discardableResult
    public func update<Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Void
    ) throws(Failure) -> Value? {
        try cached.update(body)
    }
}

extension Cached {
    /// A new object for the Observation framework, whose trackers are notified on the main actor.
    ///
    /// ```swift
    /// let page = cache.cached(Book.self, id: 1).observable
    /// print(page.value?.title ?? "")
    /// ```
    ///
    /// Keep the object: after it is deallocated, its trackers are no longer notified. To choose
    /// another delivery, use the object's initializer.
    public var observable: ObservableCached<Value> { ObservableCached(self) }
}
