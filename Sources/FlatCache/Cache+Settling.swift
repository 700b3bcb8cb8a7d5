extension Cache {
    /// Waits until the observers of all earlier commits have been called.
    ///
    /// ```swift
    /// cache.set(book)
    /// await cache.settled()
    /// // Every observer of the book has received it, wherever it is called.
    /// ```
    ///
    /// A call of `set` returns when the observers have been called that are called inline, unless
    /// another thread was delivering. Observers on an actor or a queue are called later. This returns
    /// when both kinds have received every commit whose call had returned before this was called, and
    /// the completions of those batches have run. A sequence counts as notified when its buffer holds
    /// the element.
    ///
    /// If a delivery never runs the closure that it is given, this returns only when the task is
    /// cancelled.
    ///
    /// ## Concurrency
    /// Must not be awaited by code that an observer waits for.
    public func settled() async { await core.settled() }
}

extension CacheCore {
    func settled() async {
        let settlement = Settlement()
        let ticket = deliveryQueue.append([
            .action { [self] in
                // All earlier notifications have been made, or are in an observer's own queue.
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
