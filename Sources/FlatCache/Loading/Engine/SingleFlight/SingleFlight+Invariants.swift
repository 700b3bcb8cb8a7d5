extension SingleFlight {
    /// Traps unless the calls, the places of keys and the waits agree; for tests.
    package func checkInvariants() {
        state.withLock { state in
            for (key, call) in state.places {
                precondition(
                    state.calls[call.number] === call && call.keys.contains(key),
                    "A key's call must have it."
                )
            }
            for (group, call) in state.gathering {
                precondition(
                    call.group == group && call.phase == .waiting
                        && state.calls[call.number] === call,
                    "Only a call that hasn't begun gathers keys."
                )
            }
            for call in state.calls.values {
                precondition(
                    call.phase == .claimed || !call.needs.isEmpty,
                    "A call must be needed."
                )
                precondition(
                    Set(call.keys).count == call.keys.count,
                    "A call must ask for a key once."
                )
            }
        }
    }
}
