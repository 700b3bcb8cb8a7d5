extension SingleFlightState {
    /// Traps unless the calls, the places of keys and the waits agree; for tests.
    func checkInvariants() {
        for (key, place) in places {
            precondition(
                calls[place.call.number] === place.call && place.call.keys[place.keyIndex] == key,
                "A key's call must have it."
            )
        }
        for (group, call) in gathering {
            precondition(
                call.group == group && call.phase == .waiting && calls[call.number] === call,
                "Only a call that hasn't begun gathers keys."
            )
        }
        for call in calls.values {
            precondition(call.isNeeded, "A call must be needed.")
            let waits = call.waits.filter(\.waiter.isOpen)
            precondition(call.openWaitCount == waits.count, "The open waits must be counted.")
            precondition(
                call.neededKeyCount == call.keys.indices.count(where: call.isNeeded),
                "The needed keys must be counted."
            )
            for (waiter, keyIndex) in waits {
                precondition(
                    waiter.waits.contains { $0.call === call && $0.keyIndex == keyIndex },
                    "A caller must wait for the calls that have it."
                )
            }
        }
    }
}
