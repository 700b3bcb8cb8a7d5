/// The deliveries that a task waits for.
final class Settlement: Sendable {
    private struct State {
        /// The number of deliveries that haven't ended.
        ///
        /// One delivery is expected from the beginning.
        var expected = 1
        var waiter: UnsafeContinuation<Void, Never>?
        var isCancelled = false

        mutating func takeWaiterIfDone() -> UnsafeContinuation<Void, Never>? {
            expected == 0 || isCancelled ? waiter.take() : nil
        }
    }

    private let state = Locked(State())

    func expect(_ count: Int) { state.withLock { $0.expected += count } }

    /// Records the end of a delivery.
    func fulfill() {
        state.withLock { state in
            state.expected -= 1
            return state.takeWaiterIfDone()
        }?.resume()
    }

    /// Waits until all deliveries have ended or the task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter in
                state.withLock { state in
                    state.waiter = waiter
                    return state.takeWaiterIfDone()
                }?.resume()
            }
        } onCancel: {
            state.withLock { state in
                state.isCancelled = true
                return state.takeWaiterIfDone()
            }?.resume()
        }
    }
}

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
