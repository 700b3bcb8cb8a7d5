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
    }
}
