extension CacheCore {
    func settled() async {
        let settlement = Settlement()
        let ticket = deliveryQueue.append([
            .action { [self] in
                // All earlier notifications have been delivered, or are in an observer's own queue.
                let queues = ownQueues.withLock { Array($0.values) }
                settlement.expect(queues.count)
                for queue in queues {
                    queue.append([{ settlement.fulfill() }])
                    queue.deliverCalls()
                }
                settlement.fulfill()
            }
        ])
        deliveryQueue.deliver(through: ticket)
        await settlement.wait()
    }
}
