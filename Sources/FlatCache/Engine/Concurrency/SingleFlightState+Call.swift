extension SingleFlightState {
    enum Phase { case waiting, running, claimed }

    /// A call with its callers.
    ///
    /// The flight's lock guards all variables. After the call has ended, its callers read the keys
    /// and the outputs, which no longer change.
    final class Call {
        let number: UInt64
        /// The group of the caller that has started the call.
        let group: UInt64?
        /// The keys in the order in which callers have asked for them.
        private(set) var keys: [Key] = []
        /// The keys that are needed although no caller waits for them.
        var backgroundKeys: Set<Key> = []
        var phase = Phase.waiting
        var task: Task<Void, Never>?
        /// The pause during which the call gathers keys.
        var pause: Task<Void, Never>?
        var isFull = false
        var abandonment: (@Sendable () -> Void)?
        /// The callers with the positions of their keys, in the order in which they have joined.
        ///
        /// Some of the waits have ended.
        @exclusivity(unchecked) private(set) var waits: [(waiter: Waiter, keyIndex: Int)] = []
        /// The number of waits that haven't ended.
        @exclusivity(unchecked) private(set) var openWaitCount = 0
        /// The outputs of the keys, once the call has ended without an error.
        private(set) var outputs: [Output?] = []

        init(_ number: UInt64, group: UInt64?) {
            self.number = number
            self.group = group
        }

        var isNeeded: Bool {
            phase == .claimed || openWaitCount > 0 || !backgroundKeys.isEmpty
        }

        /// Divides the keys into the needed ones and the others.
        func dividedKeys() -> (needed: [Key], others: [Key]) {
            var needs = keys.map(backgroundKeys.contains)
            for (waiter, keyIndex) in waits where waiter.isOpen { needs[keyIndex] = true }
            return (
                keys.indices.filter { needs[$0] }.map { keys[$0] },
                keys.indices.filter { !needs[$0] }.map { keys[$0] }
            )
        }

        /// Adds a key; returns its position.
        func add(_ key: Key) -> Int {
            keys.append(key)
            return keys.count - 1
        }

        func add(_ waiter: Waiter, keyIndex: Int, isOwn: Bool) {
            waits.append((waiter, keyIndex))
            openWaitCount += 1
            waiter.add(FlightWaiter.Wait(call: self, keyIndex: keyIndex, isOwn: isOwn))
        }

        /// Records that a caller doesn't wait for one of its keys any more.
        func endWait() {
            openWaitCount -= 1
            // Callers can come and go for as long as the call runs.
            if waits.count > 2 * openWaitCount + 16 { waits.removeAll { !$0.waiter.isOpen } }
        }

        /// Sets the outputs; returns the callers, which retain the call from now on.
        func end(_ outputs: [Key: Output]) -> [(waiter: Waiter, keyIndex: Int)] {
            defer { waits = [] }
            self.outputs = keys.map { outputs[$0] }
            return waits
        }
    }
}
