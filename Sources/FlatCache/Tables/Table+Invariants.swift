extension Table {
    func checkInvariants() {
        precondition(pending.isEmpty, "Between commits nothing may be pending.")
        precondition(countDifference == 0, "Between commits the count must be settled.")
        var present = 0
        for index in 0..<Stripes.count {
            let slots = stripes[index].slots
            precondition(slots.isInOrder, "Probing must find each entry from its home slot.")
            for slot in 0..<slots.capacity {
                guard let entry = slots[slot] else { continue }
                precondition(
                    entry.version <= clock.visibleVersion,
                    "Between commits no entry may be ahead of the visible version."
                )
                if entry.value != nil { present += 1 }
                guard !clock.hasOpenSnapshots else { continue }
                precondition(entry.value != nil, "An empty entry must leave its table.")
                precondition(entry.displaced == nil, "Nothing may be kept that nobody reads.")
            }
        }
        precondition(present == count(at: nil), "The count must be that of the values.")
    }
}
