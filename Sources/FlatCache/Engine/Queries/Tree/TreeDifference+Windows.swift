extension TreeDifference {
    /// Returns the part of the difference that a window shows, with offsets from the window's
    /// start.
    ///
    /// Elements that enter or leave the window because of the edits of others are insertions and
    /// removals.
    ///
    /// - Parameters:
    ///   - old: The offsets in the window before the edits.
    ///   - new: The offsets in the window after the edits.
    ///   - oldID: A closure that returns the identifier at an offset in the old version.
    ///   - newID: A closure that returns the identifier at an offset in the new version.
    /// - Complexity: O(*k* log *k*) in the number of steps of both differences, without the calls
    ///   of the closures, one for each element that enters or leaves.
    @usableFromInline
    func shown(
        from old: Range<Int>,
        to new: Range<Int>,
        oldID: (Int) -> ID,
        newID: (Int) -> ID
    ) -> TreeDifference {
        // The kept elements have the same ranks among each other in both versions, so the ranks
        // determine which of them are in the old and in the new window.
        let oldRanks = Self.ranks(ofKeptIn: old, without: removals)
        let newRanks = Self.ranks(ofKeptIn: new, without: insertions)
        var shown = self
        shown.removals = Self.steps(removals, in: old, counterpartsIn: new)
        for rank in Self.subtract(newRanks, from: oldRanks) {
            let offset = Self.offset(ofKept: rank, without: removals)
            shown.removals.append(Step(offset: offset - old.lowerBound, id: oldID(offset)))
        }
        shown.insertions = Self.steps(insertions, in: new, counterpartsIn: old)
        for rank in Self.subtract(oldRanks, from: newRanks) {
            let offset = Self.offset(ofKept: rank, without: insertions)
            shown.insertions.append(Step(offset: offset - new.lowerBound, id: newID(offset)))
        }
        shown.removals.sort { $0.offset < $1.offset }
        shown.insertions.sort { $0.offset < $1.offset }
        shown.stayed = Self.steps(stayed, in: new, counterpartsIn: old)
            .filter { $0.counterpart != nil }
        return shown
    }

    /// Returns the steps in a range, with offsets from its start.
    @usableFromInline
    static func steps(
        _ steps: [Step],
        in range: Range<Int>,
        counterpartsIn other: Range<Int>
    ) -> [Step] {
        let first = index(in: steps) { $0.offset < range.lowerBound }
        let end = index(in: steps) { $0.offset < range.upperBound }
        return steps[first..<end].map { step in
            Step(
                offset: step.offset - range.lowerBound,
                id: step.id,
                counterpart: step.counterpart.flatMap { counterpart in
                    other.contains(counterpart) ? counterpart - other.lowerBound : nil
                }
            )
        }
    }

    /// Returns the ranks, among the elements that aren't in the steps, of those in a range.
    @usableFromInline
    static func ranks(ofKeptIn range: Range<Int>, without steps: [Step]) -> Range<Int> {
        let first = index(in: steps) { $0.offset < range.lowerBound }
        let end = index(in: steps) { $0.offset < range.upperBound }
        return range.lowerBound - first..<range.upperBound - end
    }

    /// Returns the offset of the element with a rank among the elements that aren't in the steps.
    @usableFromInline
    static func offset(ofKept rank: Int, without steps: [Step]) -> Int {
        // The number of kept elements before a step doesn't decrease from step to step.
        var (lower, upper) = (0, steps.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if steps[middle].offset - middle <= rank { lower = middle + 1 } else { upper = middle }
        }
        return rank + lower
    }

    /// Returns the numbers in one range that aren't in another.
    @usableFromInline
    static func subtract(_ other: Range<Int>, from range: Range<Int>) -> [Int] {
        let lower =
            range.lowerBound..<max(range.lowerBound, min(range.upperBound, other.lowerBound))
        let upper =
            min(range.upperBound, max(range.lowerBound, other.upperBound))..<range.upperBound
        return Array(lower) + Array(upper)
    }

    /// Returns the index of the first step for which a condition doesn't hold.
    ///
    /// The condition must hold for all steps before that one.
    @usableFromInline
    static func index(in steps: [Step], afterAll condition: (Step) -> Bool) -> Int {
        var (lower, upper) = (0, steps.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if condition(steps[middle]) { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
