extension EvictionState {
    /// Traps unless the lists agree with each other; for tests, between commits.
    ///
    /// - Complexity: O(*n*) in the number of slots.
    func checkInvariants() {
        var used: Set<Ticket> = []
        for (slot, ticket) in tickets.enumerated() where ticket != .none {
            precondition(
                Int(entries[ticket.index].slot) == slot && used.insert(ticket).inserted,
                "Each present value must have a ticket of its own."
            )
        }
        precondition(used.count == count, "Each ticket must be free or have an entry.")
        precondition(arrivals.isEmpty, "No entry may be outside of the queue between commits.")
        precondition(Set(queue.tickets) == used, "The queue must contain all entries.")
        precondition(queue.tickets.count == used.count, "No entry may be queued twice.")
        precondition(deadlines.isInOrder, "The earliest deadline must come first.")
        precondition(expired.isSubset(of: used), "Only a present value may have expired.")
        let total = used.reduce(0 as Int128) { $0 + Int128(costs[$1.index]) }
        precondition(total == totalCost, "The total must be the sum of the costs.")
    }
}
