extension CacheCore {
    /// Calls the observers of what has been committed, unless another thread, or this one further
    /// up its stack, is doing so already.
    ///
    /// Must not be called under a lock.
    func deliver() {
        guard outbox.withLock({ $0.beginDelivering() }) else { return }
        while true {
            let items = outbox.withLock { $0.next() }
            if items.isEmpty { return }
            for item in items {
                switch item {
                case .change(let change, let subscription): subscription.deliver(change)
                case .completion(let completion): completion()
                case .end(let subscription): subscription.end()
                }
            }
        }
    }
}
