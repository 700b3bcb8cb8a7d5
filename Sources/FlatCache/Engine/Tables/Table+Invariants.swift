extension Table {
    func checkInvariants() {
        precondition(pending.isEmpty, "No entry may be pending between commits.")
        precondition(countDifference == 0, "The count must be zero between commits.")
        var present = 0
        var occupied = 0
        for index in 0..<Stripes.count {
            let region = stripe(at: index).state.pointee.region
            precondition(region.isInOrder(inStripe: index), "Probing must find each entry.")
            region.forEachSlot { slot in
                occupied += 1
                let entry = region.entries + slot
                precondition(
                    entry.pointee.version <= clock.visibleVersion,
                    "No entry may be ahead of the visible version between commits."
                )
                if entry.pointee.value != nil { present += 1 }
                guard !clock.hasOpenSnapshots else { return }
                precondition(entry.pointee.value != nil, "An empty entry must leave its table.")
                precondition(entry.pointee.prior == nil, "No unreadable value may be kept.")
            }
        }
        precondition(occupied == entryCount, "The number of entries must be counted.")
        precondition(present == count(at: nil), "The count must be the number of values.")
        checkLimits()
    }

    private func checkLimits() {
        guard let limits else { return }
        precondition(limits.block.capacity == block.capacity, "The marks must fit the block.")
        precondition(limits.expiring.isEmpty, "No entry may be expiring between commits.")
        let ledger = limits.ledger
        var known: Set<Ticket> = []
        var total: Int128 = 0
        for slot in 0..<Stripes.count * block.capacity {
            let ticket = limits.block.tickets[slot]
            let name = EntryID(slot: UInt32(slot))
            guard block.tags[slot].isOccupied, let value = self[name].pointee.value else {
                precondition(ticket == .none, "Only a present value may have a ticket.")
                continue
            }
            precondition(
                ticket != .none && ledger.entry(of: ticket) == name
                    && known.insert(ticket).inserted,
                "Each present value must have a ticket of its own."
            )
            let cost = limits.cost?(value) ?? 1
            precondition(cost == ledger.cost(of: ticket), "The cost must be the value's.")
            total += Int128(cost)
            let isStale = withMarks(of: name, limits) { marks, slot in
                marks.isStale(slot, stored: self[name].pointee.version, readAt: .max)
            }
            precondition(
                isStale == ledger.stale.contains(ticket),
                "Readers and the ledger must agree on stale values."
            )
        }
        precondition(known.count == ledger.count, "The ledger must count each present value.")
        precondition(Set(ledger.queue.tickets) == known, "The queue must contain all values.")
        precondition(ledger.queue.tickets.count == known.count, "No value may be queued twice.")
        precondition(ledger.deadlines.isInOrder, "The earliest deadline must come first.")
        precondition(total == ledger.total, "The total must be the sum of the costs.")
    }
}
