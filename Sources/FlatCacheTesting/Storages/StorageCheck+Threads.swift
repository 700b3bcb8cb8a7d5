import Dispatch
import FlatCache
import FlatCachePersistence

extension StorageCheck {
    private static var threads: Int { 4 }
    private static var writesPerThread: Int { 50 }

    /// Writes on several threads, and throws the first error of any of them.
    private func writeConcurrently(
        _ also: @escaping @Sendable () throws -> Void = {}
    ) throws {
        let failure = Locked<(any Error)?>(nil)
        let threads = DispatchGroup()
        for thread in 0..<Self.threads {
            // On one processor, `concurrentPerform` would use a single thread. Several queues use
            // several threads everywhere.
            let queue = DispatchQueue(label: "FlatCacheTesting.StorageConformance.\(thread)")
            queue.async(group: threads) {
                do {
                    for turn in 0..<Self.writesPerThread {
                        try storage.storeValue((thread + turn) % 2 == 0 ? first : second, key: key)
                        try also()
                    }
                } catch {
                    failure.withLock { $0 = $0 ?? error }
                }
            }
        }
        threads.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    func checkListenerCallsAreSerial() throws {
        let running = Locked(0)
        let overlapped = Locked(false)
        let token = storage.addUpdateListener(forKey: key) { [self] _ in
            let others = running.withLock { running in
                defer { running += 1 }
                return running
            }
            if others > 0 { overlapped.withLock { $0 = true } }
            // The read gives another call time to start.
            _ = try? read()
            running.withLock { $0 -= 1 }
        }
        try writeConcurrently()
        token.dispose()
        if overlapped.withLock({ $0 }) {
            throw UnmetRequirement("a listener was called during another call of it")
        }
    }

    func checkConcurrentAccess() throws {
        let received = makeReceivedValues()
        let token = listen(received)
        try storage.storeValue(first, key: key)
        try writeConcurrently {
            let value = try read()
            guard value == first || value == second else {
                throw UnmetRequirement("a read returned a value that wasn't stored")
            }
        }
        // A listener may still be running on another thread when a write returns; that thread then
        // makes one more call.
        guard received.waitForLast(try read()) else {
            throw UnmetRequirement("a listener's last value isn't the final value")
        }
        token.dispose()
    }
}
