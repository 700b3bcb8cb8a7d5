/// An observation or a pin that a thread that holds the writers' lock has yet to add.
///
/// A thread that registers never waits for that lock. If another thread holds it, the registration
/// waits in the `CommitClock`, and whichever thread comes first adds it: one that commits, before it
/// updates the watch graph and once more after it has published; or one that gets the lock. Until
/// then a snapshot keeps the version open from which the registration counts.
final class Registration: @unchecked Sendable {
    /// Adds the observation or the pin, under the writers' lock.
    let add: @Sendable () -> Void
    /// The notification with which an observer is called at first, as of a version that is kept open.
    let initialNotification: @Sendable (_ version: UInt64) -> Notification?
    /// The observer's number; `nil` if there is no observer to notify.
    let number: UInt64?

    /// Whether another thread adds the registration.
    ///
    /// Used by the registering thread only.
    var isWaiting = false

    // Guarded by the clock's lock.

    /// The version that was visible when the registration was made, which doesn't change any more.
    ///
    /// All later commits notify the observer.
    var version: UInt64 = 0
    /// The position among the registrations that wait, if it does.
    var position: Int?

    // Guarded by the lock of the cache's delivery queue.

    /// Whether the initial notification has been enqueued, or there is none.
    var hasInitialTicket = false
    var initialTicket: DeliveryTicket?

    init(
        of observer: AnyObserver? = nil,
        initial: @escaping @Sendable (_ version: UInt64) -> Notification? = { _ in nil },
        add: @escaping @Sendable () -> Void
    ) {
        number = observer?.registration
        self.add = add
        initialNotification = initial
    }
}
