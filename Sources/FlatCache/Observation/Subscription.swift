import Synchronization

/// An observation of an entity of some type, as the watch graph and the outbox know it.
class AnySubscription: @unchecked Sendable {
    // Immutable here; guarded in the subclass.

    /// Numbers the observations of a cache in the order in which they were made.
    final let registration: UInt64
    final let key: CacheKey
    final let following: Following
    /// Whether the observer is told which keys have changed; finding them costs time.
    final let wantsCauses: Bool

    init(registration: UInt64, key: CacheKey, following: Following, wantsCauses: Bool) {
        self.registration = registration
        self.key = key
        self.following = following
        self.wantsCauses = wantsCauses
    }

    /// Calls the observer with a boxed change, unless the observation has ended.
    func deliver(_ change: AnyObject) {
        preconditionFailure("deliver(_:) must be overridden by the subscription of a type.")
    }

    /// Ends the observation: no new call of the observer starts, and it is released.
    func end() {
        preconditionFailure("end() must be overridden by the subscription of a type.")
    }
}

/// An observation of an entity.
final class Subscription<Value: Identifiable & Sendable>: AnySubscription, @unchecked Sendable
where Value.ID: Sendable {
    typealias Observer = @Sendable (Change<Value>) -> Void

    // A lock inside: `nil` once the observation has ended.
    private let observer: Guarded<Observer?>
    /// Whether a thread is between fetching the observer and calling it.
    ///
    /// Set under the observer's lock, by one thread at a time, since a cache delivers one call at a
    /// time.
    private let isStarting = Atomic<Bool>(false)

    init(
        registration: UInt64,
        key: CacheKey,
        following: Following,
        wantsCauses: Bool,
        observer: @escaping Observer
    ) {
        self.observer = Guarded(observer)
        super.init(
            registration: registration,
            key: key,
            following: following,
            wantsCauses: wantsCauses
        )
    }

    override func deliver(_ change: AnyObject) {
        // The observer is called, and released, outside the lock: it may end its own observation.
        let observer = observer.withLock { observer in
            isStarting.store(observer != nil, ordering: .relaxed)
            return observer
        }
        guard let observer else { return }
        isStarting.store(false, ordering: .releasing)
        observer(unsafeDowncast(change, to: ChangeBox<Value>.self).change)
    }

    override func end() {
        let ended = observer.withLock { observer in
            defer { observer = nil }
            return observer
        }
        // A thread that has fetched the observer just before starts its call now. It runs no code of
        // a user's in between, so it is waited for, and no call starts after this has returned.
        while isStarting.load(ordering: .acquiring) { yieldToOtherThreads() }
        withExtendedLifetime(ended) {}
    }
}
