extension Table {
    func checkInvariants() {
        precondition(
            pending.isEmpty && savepointStarts.isEmpty && log.isEmpty && staleness.isEmpty
                && countDifference == 0,
            "No write may be pending between commits."
        )
        var present = 0
        var occupied = 0
        checkSegments()
        forEachEntry { entryID, entry in
            occupied += 1
            precondition(entry.pointee.version <= clock.visibleVersion, "Entries must be visible.")
            if entry.pointee.value != nil { present += 1 }
            guard !clock.hasOpenSnapshots, !unreclaimed.contains(entryID) else { return }
            precondition(
                entry.pointee.value != nil || isCovered(entry),
                "An empty entry must leave its table."
            )
            precondition(prior(of: entry) == nil, "No unreadable value may be kept.")
        }
        precondition(occupied == entryCount, "The number of entries must be counted.")
        precondition(present == count(at: nil), "The count must be the number of values.")
        checkLimits()
    }

    private func checkSegments() {
        var numbers: Set<UInt32> = []
        forEachSegment { stripe, segment in
            let range = segment.header.pointee.range
            let index = (stripe.line - stripes) / ProcessorCacheLine.size
            precondition(segment.isInOrder(inStripe: index), "Probing must find each entry.")
            precondition(
                stripe.state.pointee.segments(in: range).allSatisfy { $0.number == segment.number },
                "The directory must contain a segment in its whole range."
            )
            precondition(
                segments.segment(numbered: segment.number)?.entries == segment.entries,
                "A segment must be found by its number."
            )
            precondition(!segment.header.pointee.isListedAsSparse, "No segment may stay listed.")
            numbers.insert(segment.number)
        }
        precondition(sparseSegments.isEmpty && !segments.isForwarding, "Moves must be finished.")
        precondition(numbers.count == segments.count, "Each segment must be in a directory.")
    }

    private func checkLimits() {
        guard let limits else { return }
        limits.state.checkInvariants()
        guard limits.state.listsEntries else {
            return precondition(limits.state.count == 0, "Only limits list the entries.")
        }
        var known = 0
        forEachEntry { entryID, entry in
            // The limits concern the confirmed value, which may be missing.
            if isCovered(entryID) {
                if limits.state.contains(entryID) { known += 1 }
                return
            }
            guard let value = entry.pointee.value else {
                return precondition(!limits.state.contains(entryID), "Only values may be limited.")
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
