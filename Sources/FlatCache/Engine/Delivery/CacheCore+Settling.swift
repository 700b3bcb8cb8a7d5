extension CacheCore {
    func settled() async {
        let settlement = Settlement()
        deliveryQueue.fulfill(settlement) { [self] in
            // All earlier notifications have been delivered, or are in an observer's own queue.
            let queues = ownQueues.withLock { Array($0.values) }
            settlement.expect(queues.count)
            for queue in queues { queue.fulfill(settlement) }
        }
        await settlement.wait()
    }
}
