extension EvictionState {
    /// Traps unless the lists agree with each other; for tests, between commits.
    ///
    /// - Complexity: O(*n*) in the number of slots.
    func checkInvariants() {
        var used: Set<Ticket> = []
        tickets.forEach { entry, ticket in
            precondition(
                entries[ticket.index] == entry && used.insert(ticket).inserted,
                "Each present value must have a ticket of its own."
            )
        }
        precondition(used.count == count, "Each ticket must have an entry.")
        precondition(!queue.hasArrivals, "No entry may be outside of the queue between commits.")
        precondition(Set(queue.tickets) == used, "The queue must contain all entries.")
        precondition(queue.tickets.count == used.count, "No entry may be queued twice.")
        precondition(deadlines.isInOrder, "The earliest deadline must come first.")
        precondition(
            used.count { expired.contains($0) } == expired.count,
            "Only a present value may have expired."
        )
        let total = used.reduce(0 as Int128) { $0 + Int128(costs[$1.index]) }
        precondition(total == totalCost, "The total must be the sum of the costs.")
    }
}
