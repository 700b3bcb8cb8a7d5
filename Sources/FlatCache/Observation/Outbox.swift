/// The calls that commits have caused and that have not been made yet, in commit order.
///
/// One thread at a time makes them. Whoever puts something in asks afterwards to deliver; if another
/// thread is delivering, or this one is further up its stack, that one makes the calls. So there is
/// neither a second call at a time nor recursion.
///
/// A plain value; a `DeliveryLine` keeps it under a lock and makes the calls outside.
struct Outbox {
    /// A call to make.
    enum Item {
        /// Tells a recipient what a commit did, boxed as it expects it.
        case event(AnyObject, AnyRecipient)
        /// Calls the completion of a batch.
        case completion(@Sendable () -> Void)
        /// Ends an observation, since its cache has gone.
        case end(AnyRecipient)
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
