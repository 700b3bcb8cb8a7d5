extension SingleFlightState {
    enum Phase { case waiting, running, claimed }

    /// A call with its callers.
    ///
    /// The flight's lock guards all variables. After the call has ended, its callers read the keys
    /// and the outputs, which no longer change.
    final class Call: @unchecked Sendable {
        let number: UInt64
        /// The group of the caller that has started the call.
        let group: UInt64?
        /// The keys in the order in which callers have asked for them.
        private(set) var keys: [Key] = []
        /// The number of waits for each key that haven't ended.
        @exclusivity(unchecked) private var openCounts: [Int] = []
        /// The number of keys that callers wait for, or that are needed in the background.
        private(set) var neededKeyCount = 0
        /// The positions of the keys that are needed although no caller waits for them.
        private var backgroundKeys: Set<Int> = []
        /// The versions that stored values must exceed to answer all callers of a key.
        ///
        /// For example, a caller that joins at version 7 and rejects the value stored by then waits
        /// for a value of version 8 or later.
        private(set) var knownVersions: [Key: UInt64] = [:]
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

        /// Returns whether the key at a position is needed.
        func isNeeded(_ keyIndex: Int) -> Bool {
            openCounts[keyIndex] > 0 || backgroundKeys.contains(keyIndex)
        }

        /// Adds a key; returns its position.
        func add(_ key: Key) -> Int {
            keys.append(key)
            openCounts.append(0)
            return keys.count - 1
        }

        func add(_ waiter: Waiter, keyIndex: Int, isOwn: Bool) {
            if !isNeeded(keyIndex) { neededKeyCount += 1 }
            waits.append((waiter, keyIndex))
            openCounts[keyIndex] += 1
            openWaitCount += 1
            waiter.add(FlightWaiter.Wait(call: self, keyIndex: keyIndex, isOwn: isOwn))
        }

        func needInBackground(_ keyIndex: Int) {
            if !isNeeded(keyIndex) { neededKeyCount += 1 }
            backgroundKeys.insert(keyIndex)
        }

        /// Records a version as of which no stored value answers a caller of a key.
        func record(_ version: UInt64, of keyIndex: Int) {
            let known = knownVersions[keys[keyIndex]] ?? 0
            knownVersions[keys[keyIndex]] = max(known, version)
        }

        /// Records that a caller no longer waits for one of its keys.
        func endWait(for keyIndex: Int) {
            openWaitCount -= 1
            openCounts[keyIndex] -= 1
            if !isNeeded(keyIndex) { neededKeyCount -= 1 }
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
