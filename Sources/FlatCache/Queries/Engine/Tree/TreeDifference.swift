/// The difference between two versions of a tree: the offsets at which identifiers were removed and
/// inserted.
///
/// An identifier that has moved is in both lists. The other elements, including the edited ones
/// that have `stayed`, have the same order in both versions.
@usableFromInline
struct TreeDifference<ID: Hashable & Sendable>: Sendable {
    @usableFromInline
    struct Step: Hashable, Sendable {
        /// The offset in the old version for a removal, and in the new version otherwise.
        @usableFromInline var offset: Int
        @usableFromInline var id: ID
        /// The offset in the other version, if it contains the identifier.
        @usableFromInline var counterpart: Int?

        @usableFromInline
        init(offset: Int, id: ID, counterpart: Int? = nil) {
            self.offset = offset
            self.id = id
            self.counterpart = counterpart
        }
    }

    // Each list is sorted by offset.

    @usableFromInline var removals: [Step]
    @usableFromInline var insertions: [Step]
    /// The elements that were removed and inserted again, but needn't move.
    @usableFromInline var stayed: [Step]

    /// Creates a difference from the removed and the inserted elements, sorted by offset.
    ///
    /// The removed elements that need not move form a longest increasing subsequence of their
    /// places in the new version, as in `OrderDifference`.
    ///
    /// - Complexity: O(*k* log *k*) in the number of elements.
    @usableFromInline
    init(removals: [Step], insertions: [Step]) {
        (self.removals, self.insertions, stayed) = (removals, insertions, [])
        guard !removals.isEmpty, !insertions.isEmpty else { return }
        if removals.count == 1, insertions.count == 1 {
            linkOnlySteps()
            return
        }
        // Most commits edit a few elements, for which a search is faster than a dictionary.
        let areMany = insertions.count > LinearSearch.maximumCount
        let numbersByID = areMany ? Self.numbersByID(of: insertions) : nil
        var numbers = [Int?](repeating: nil, count: removals.count)
        for (index, removal) in removals.enumerated() {
            let number =
                numbersByID.map { $0[removal.id] }
                ?? insertions.firstIndex { $0.id == removal.id }
            guard let number else { continue }
            self.removals[index].counterpart = insertions[number].offset
            self.insertions[number].counterpart = removal.offset
            // An element that doesn't move has as many unedited elements before it as it had.
            if removal.offset - index == insertions[number].offset - number {
                numbers[index] = number
            }
        }
        let staying = Self.longestIncreasingSubsequence(of: numbers)
        guard !staying.isEmpty else { return }
        let stayingNumbers = staying.compactMap { numbers[$0] }
        stayed = stayingNumbers.map { self.insertions[$0] }
        self.removals = Self.steps(self.removals, without: staying)
        self.insertions = Self.steps(self.insertions, without: stayingNumbers)
    }

    /// Links the only removal with the only insertion, as the initializer does for many.
    @usableFromInline
    mutating func linkOnlySteps() {
        guard removals[0].id == insertions[0].id else { return }
        (removals[0].counterpart, insertions[0].counterpart) =
            (insertions[0].offset, removals[0].offset)
        guard removals[0].offset == insertions[0].offset else { return }
        stayed = insertions
        (removals, insertions) = ([], [])
    }

    @usableFromInline
    static func numbersByID(of steps: [Step]) -> [ID: Int] {
        Dictionary(zip(steps.map(\.id), steps.indices)) { first, _ in first }
    }

    /// Returns the steps without those at some indices, which are in order.
    @usableFromInline
    static func steps(_ steps: [Step], without indices: [Int]) -> [Step] {
        var kept: [Step] = []
        kept.reserveCapacity(steps.count - indices.count)
        var start = 0
        for index in indices {
            kept += steps[start..<index]
            start = index + 1
        }
        return kept + steps[start...]
    }

    @usableFromInline
    static func longestIncreasingSubsequence(of numbers: [Int?]) -> [Int] {
        OrderDifference<ID>.longestIncreasingSubsequence(of: numbers)
    }

    /// `true` if both versions have the same identifiers in the same order.
    @usableFromInline var isEmpty: Bool { removals.isEmpty && insertions.isEmpty }

    /// The removals and insertions, with associations between the two steps of a moved identifier.
    @usableFromInline var collectionDifference: CollectionDifference<ID> {
        var changes: [CollectionDifference<ID>.Change] = []
        changes.reserveCapacity(removals.count + insertions.count)
        for step in removals {
            changes.append(
                .remove(offset: step.offset, element: step.id, associatedWith: step.counterpart)
            )
        }
        for step in insertions {
            changes.append(
                .insert(offset: step.offset, element: step.id, associatedWith: step.counterpart)
            )
        }
        guard let difference = CollectionDifference(changes) else {
            preconditionFailure("Each offset must be removed or inserted at most once.")
        }
        return difference
    }
}

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
