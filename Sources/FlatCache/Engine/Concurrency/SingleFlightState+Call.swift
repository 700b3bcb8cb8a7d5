extension SingleFlightState {
    enum Phase { case waiting, running, claimed }

    /// A call with its callers.
    struct Call {
        /// The keys in the order in which callers have asked for them.
        var keys: [Key] = []
        /// The waiting callers with the keys that they wait for.
        var waiters: [ObjectIdentifier: (waiter: Waiter, keys: [Key])] = [:]
        /// The keys that are needed although no caller waits for them.
        var backgroundKeys: Set<Key> = []
        var phase = Phase.waiting
        /// The group of the caller that has started the call.
        var group: UInt64?
        var task: Task<Void, Never>?
        /// The pause during which the call gathers keys.
        var pause: Task<Void, Never>?
        var isFull = false
        var abandonment: (@Sendable () -> Void)?

        var isNeeded: Bool {
            phase == .claimed || !waiters.isEmpty || !backgroundKeys.isEmpty
        }

        var neededKeys: Set<Key> {
            waiters.values.reduce(into: backgroundKeys) { $0.formUnion($1.keys) }
        }
    }
}
