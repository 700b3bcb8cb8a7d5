import Synchronization

/// An observation of an entity of some type, as the watch graph and the outbox know it.
class AnySubscription: @unchecked Sendable {
    // Constant here, so nothing guards it; what the subclass adds is atomic or under a lock.

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

    /// The observer, until the observation has ended.
    ///
    /// In a structure of its own: a closure that goes through a generic parameter comes back
    /// wrapped once more, and so would be slower at each call.
    private struct Target {
        var observer: Observer?
    }

    private let target: Guarded<Target>
    /// Whether a thread is between fetching the observer and calling it.
    ///
    /// Set under the lock of `target`, by one thread at a time, since a cache delivers one call at
    /// a time.
    private let isStarting = Atomic<Bool>(false)

    init(
        registration: UInt64,
        key: CacheKey,
        following: Following,
        wantsCauses: Bool,
        observer: @escaping Observer
    ) {
        target = Guarded(Target(observer: observer))
        super.init(
            registration: registration,
            key: key,
            following: following,
            wantsCauses: wantsCauses
        )
    }

    override func deliver(_ change: AnyObject) {
        // The observer is called, and released, outside the lock: it may end its own observation.
        let current = target.withLock { target in
            isStarting.store(target.observer != nil, ordering: .relaxed)
            return target
        }
        guard let observer = current.observer else { return }
        isStarting.store(false, ordering: .releasing)
        observer(unsafeDowncast(change, to: ChangeBox<Value>.self).change)
    }

    override func end() {
        let ended = target.withLock { target in
            defer { target.observer = nil }
            return target
        }
        // A thread that has fetched the observer just before starts its call now. It runs no code
        // of a user's in between, so it is waited for, and no call starts after this has returned.
        while isStarting.load(ordering: .acquiring) { yieldToOtherThreads() }
        withExtendedLifetime(ended) {}
    }
}
