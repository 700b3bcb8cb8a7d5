import Synchronization

// The loading handles that are observed.
extension CacheCore {
    /// Adds a loading handle that has begun to count an observation.
    func insert(_ load: some ObservedLoad, of key: CacheKey) {
        observedLoads.withLock { $0.insert(load, of: key) }
        watchLoads()
        if isClosed { load.close() }
    }

    /// Removes a loading handle if a condition holds.
    ///
    /// - Parameter condition: A closure that is called under the lock of `observedLoads`.
    func remove(_ load: some ObservedLoad, of key: CacheKey, if condition: () -> Bool) {
        observedLoads.withLock { if condition() { $0.remove(load, of: key) } }
    }

    /// Records that removals and invalidations must look for remembered failures and for loading
    /// handles from now on.
    func watchLoads() { watchesLoads.store(true, ordering: .sequentiallyConsistent) }

    /// A Boolean value that indicates whether any failure of a load may be remembered.
    @usableFromInline var mayRememberFailures: Bool { watchesLoads.load(ordering: .acquiring) }

    /// A Boolean value that indicates whether a removal or an invalidation may concern loads or
    /// recorders.
    @usableFromInline var mustRecordWithdrawals: Bool {
        writer.hasLeases || writer.reportsWithdrawals || watchesLoads.load(ordering: .relaxed)
    }

    /// Makes the calls of the delivery queue, at once or after the write that the thread is in.
    func deliver(through ticket: DeliveryTicket?) {
        guard let ticket else { return }
        if writerLock.isHeldByCurrentThread {
            writer.mustDeliver(through: ticket)
        } else {
            deliveryQueue.deliver(through: ticket)
        }
    }
}
