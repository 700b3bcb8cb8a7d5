extension Table {
    func checkInvariants() {
        precondition(pending.isEmpty, "No entry may be pending between commits.")
        precondition(staleness.isEmpty, "No entry may become stale between commits.")
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
        precondition(
            limits.records.map { $0.capacity == block.capacity } ?? !limits.state.isTimed,
            "The records must fit the block."
        )
        limits.state.checkInvariants()
        var known = 0
        for slot in 0..<Stripes.count * block.capacity {
            let entryID = EntryID(slot: UInt32(slot))
            guard block.tags[slot].isOccupied, let value = self[entryID].pointee.value else {
                precondition(
                    !limits.state.contains(entryID),
                    "Only a present value may be limited."
                )
                continue
            }
            precondition(limits.state.contains(entryID), "Each present value must be limited.")
            known += 1
            let cost = limits.cost?(value) ?? 1
            precondition(cost == limits.state.cost(of: entryID), "The cost must be the value's.")
            precondition(
                !limits.state.isExpired(entryID) || isMarkedStale(self[entryID], limits),
                "An expired value that stays must be stale."
            )
        }
        precondition(known == limits.state.count, "The entries must be counted.")
    }
}
