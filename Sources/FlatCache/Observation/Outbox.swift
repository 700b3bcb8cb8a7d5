/// The calls that commits have caused and that have not been made yet, in commit order.
///
/// One thread at a time makes them. Whoever commits puts in what the commit caused, while it still
/// has the writers' lock, and afterwards asks to deliver; if another thread is delivering, or this
/// one is further up its stack, that one makes the calls. So there is neither a second call at a
/// time nor recursion.
///
/// A plain value; the cache keeps it under a lock and makes the calls outside.
struct Outbox {
    /// A call to make.
    enum Item {
        /// Tells an observer of a change (a `ChangeBox` of its type).
        case change(AnyObject, AnySubscription)
        /// Calls the completion of a batch.
        case completion(@Sendable () -> Void)
        /// Ends an observation, since its cache has gone.
        case end(AnySubscription)
    }

    private var items: [Item] = []
    private var isDelivering = false

    mutating func append(_ newItems: [Item]) {
        if items.isEmpty {
            items = newItems
        } else {
            items += newItems
        }
    }

    /// Starts to deliver; returns false if there is nothing to do or a thread is delivering
    /// already.
    mutating func beginDelivering() -> Bool {
        guard !isDelivering, !items.isEmpty else { return false }
        isDelivering = true
        return true
    }

    /// The next calls to make, for the thread that is delivering; when there are none, it no longer
    /// is.
    mutating func next() -> [Item] {
        defer { items = [] }
        if items.isEmpty { isDelivering = false }
        return items
    }
}
