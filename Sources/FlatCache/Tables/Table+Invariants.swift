extension Table {
    func checkInvariants() {
        precondition(pending.isEmpty, "Between commits nothing may be pending.")
        precondition(countDifference == 0, "Between commits the count must be settled.")
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
                    "Between commits no entry may be ahead of the visible version."
                )
                if entry.pointee.value != nil { present += 1 }
                guard !clock.hasOpenSnapshots else { return }
                precondition(entry.pointee.value != nil, "An empty entry must leave its table.")
                precondition(entry.pointee.displaced == nil, "Nothing may be kept unread.")
            }
        }
        precondition(occupied == entryCount, "The number of entries must be counted.")
        precondition(present == count(at: nil), "The count must be that of the values.")
        checkRetention()
    }

    private func checkRetention() {
        guard let retainer else { return }
        precondition(retainer.block.capacity == block.capacity, "Marks must be those of the block.")
        precondition(retainer.expiring.isEmpty, "Between commits nothing may be about to expire.")
        let ledger = retainer.ledger
        var known: Set<Ticket> = []
        var total: Int128 = 0
        for slot in 0..<Stripes.count * block.capacity {
            let ticket = retainer.block.tickets[slot]
            let name = EntryID(slot: UInt32(slot))
            guard block.tags[slot].isOccupied, let value = self[name].pointee.value else {
                precondition(ticket == .none, "Only what is there may have a ticket.")
                continue
            }
            precondition(
                ticket != .none && ledger.entry(of: ticket) == name
                    && known.insert(ticket).inserted,
                "What is there must have a ticket of its own."
            )
            let cost = retainer.cost?(value) ?? 1
            precondition(cost == ledger.cost(of: ticket), "A cost must be that of the value.")
            total += Int128(cost)
            let isStale = withMarks(of: name, retainer) { marks, slot in
                marks.isStale(slot, stored: self[name].pointee.version, readAt: .max)
            }
            precondition(
                isStale == ledger.stale.contains(ticket),
                "Readers and the ledger must agree on what is stale."
            )
        }
        precondition(known.count == ledger.count, "Only what is there may be known.")
        precondition(Set(ledger.queue.tickets) == known, "All must be in the queue.")
        precondition(ledger.queue.tickets.count == known.count, "All must be in the queue once.")
        precondition(ledger.deadlines.isInOrder, "The earliest deadline must come first.")
        precondition(total == ledger.total, "The total must be that of the costs.")
    }
}
