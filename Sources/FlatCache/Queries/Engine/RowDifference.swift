/// The difference between two versions of a result: the offsets at which identifiers were removed
/// and inserted.
///
/// An identifier that has moved is in both lists. The other rows, including the edited ones that
/// have `stayed`, have the same order in both versions.
struct RowDifference<ID: Hashable & Sendable>: Sendable {
    struct Step: Hashable, Sendable {
        /// The offset in the old version for a removal, and in the new version otherwise.
        var offset: Int
        var id: ID
        /// The offset in the other version, if it contains the identifier.
        var counterpart: Int?
    }

    // Each list is sorted by offset.

    var removals: [Step]
    var insertions: [Step]
    /// The rows that were removed and inserted again, but needn't move.
    var stayed: [Step] = []

    /// Creates a difference from the removed and the inserted rows, sorted by offset.
    ///
    /// The removed rows that needn't move form a longest increasing subsequence of their places in
    /// the new version, as in `OrderDifference`.
    ///
    /// - Complexity: O(*k* log *k*) in the number of rows.
    init(removals: [Step], insertions: [Step]) {
        (self.removals, self.insertions) = (removals, insertions)
        guard !removals.isEmpty, !insertions.isEmpty else { return }
        var numbersByID: [ID: Int] = [:]
        for (number, insertion) in insertions.enumerated() { numbersByID[insertion.id] = number }
        var numbers = [Int?](repeating: nil, count: removals.count)
        for (index, removal) in removals.enumerated() {
            guard let number = numbersByID[removal.id] else { continue }
            self.removals[index].counterpart = insertions[number].offset
            self.insertions[number].counterpart = removal.offset
            // A row that doesn't move has as many unedited rows before it as it had.
            if removal.offset - index == insertions[number].offset - number {
                numbers[index] = number
            }
        }
        if numbers.allSatisfy({ $0 == nil }) { return }
        let staying = OrderDifference<ID>.longestIncreasingSubsequence(of: numbers)
        let stayingNumbers = staying.compactMap { numbers[$0] }
        stayed = stayingNumbers.map { self.insertions[$0] }
        self.removals = Self.steps(self.removals, without: Set(staying))
        self.insertions = Self.steps(self.insertions, without: Set(stayingNumbers))
    }

    private static func steps(_ steps: [Step], without indices: Set<Int>) -> [Step] {
        steps.enumerated().filter { !indices.contains($0.offset) }.map(\.element)
    }

    /// `true` if both versions have the same identifiers in the same order.
    var isEmpty: Bool { removals.isEmpty && insertions.isEmpty }

    /// Returns the removals and insertions, with associations between the two steps of a moved
    /// identifier.
    @_specialize(where ID == Int)
    @_specialize(where ID == String)
    func collectionDifference() -> CollectionDifference<ID> {
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

extension RowDifference {
    /// Returns the part of the difference that a window shows, with offsets from the window's
    /// start.
    ///
    /// Rows that enter or leave the window because of the edits of others are insertions and
    /// removals.
    ///
    /// - Parameters:
    ///   - old: The offsets in the window before the edits.
    ///   - new: The offsets in the window after the edits.
    ///   - oldID: A closure that returns the identifier at an offset in the old version.
    ///   - newID: A closure that returns the identifier at an offset in the new version.
    /// - Complexity: O(*k* log *k*) in the number of steps of both differences, without the calls
    ///   of the closures, one for each row that enters or leaves.
    func shown(
        from old: Range<Int>,
        to new: Range<Int>,
        oldID: (Int) -> ID,
        newID: (Int) -> ID
    ) -> RowDifference {
        // The kept rows have the same ranks among each other in both versions, so the ranks
        // determine which of them are in the old and in the new window.
        let oldRanks = Self.ranks(ofKeptIn: old, without: removals)
        let newRanks = Self.ranks(ofKeptIn: new, without: insertions)
        var shown = part(from: old, to: new)
        for rank in Self.subtract(newRanks, from: oldRanks) {
            let offset = Self.offset(ofKept: rank, without: removals)
            shown.removals.append(Step(offset: offset - old.lowerBound, id: oldID(offset)))
        }
        for rank in Self.subtract(oldRanks, from: newRanks) {
            let offset = Self.offset(ofKept: rank, without: insertions)
            shown.insertions.append(Step(offset: offset - new.lowerBound, id: newID(offset)))
        }
        shown.sort()
        return shown
    }

    /// Returns the part of the difference between two ranges, with offsets from their starts.
    func part(from old: Range<Int>, to new: Range<Int>) -> RowDifference {
        var part = self
        part.removals = Self.steps(removals, in: old, counterpartsIn: new)
        part.insertions = Self.steps(insertions, in: new, counterpartsIn: old)
        part.stayed = Self.steps(stayed, in: new, counterpartsIn: old)
            .filter { $0.counterpart != nil }
        return part
    }

    mutating func sort() {
        removals.sort { $0.offset < $1.offset }
        insertions.sort { $0.offset < $1.offset }
    }

    /// Returns the steps in a range, with offsets from its start.
    static func steps(
        _ steps: [Step],
        in range: Range<Int>,
        counterpartsIn other: Range<Int>
    ) -> [Step] {
        steps[indices(of: steps, in: range)].map { step in
            Step(
                offset: step.offset - range.lowerBound,
                id: step.id,
                counterpart: step.counterpart.flatMap { counterpart in
                    other.contains(counterpart) ? counterpart - other.lowerBound : nil
                }
            )
        }
    }

    /// Returns the ranks, among the rows that aren't in the steps, of those in a range.
    private static func ranks(ofKeptIn range: Range<Int>, without steps: [Step]) -> Range<Int> {
        let indices = indices(of: steps, in: range)
        return range.lowerBound - indices.lowerBound..<range.upperBound - indices.upperBound
    }

    /// Returns the indices of the steps whose offsets are in a range.
    private static func indices(of steps: [Step], in range: Range<Int>) -> Range<Int> {
        let start = steps.indices.partitionPoint { steps[$0].offset >= range.lowerBound }
        return start..<steps.indices.partitionPoint { steps[$0].offset >= range.upperBound }
    }

    /// Returns the offset of the row with a rank among the rows that aren't in the steps.
    private static func offset(ofKept rank: Int, without steps: [Step]) -> Int {
        // The number of kept rows before a step doesn't decrease from step to step.
        rank + steps.indices.partitionPoint { steps[$0].offset - $0 > rank }
    }

    /// Returns the numbers in one range that aren't in another.
    private static func subtract(_ other: Range<Int>, from range: Range<Int>) -> [Int] {
        let other = other.clamped(to: range)
        if other.isEmpty { return Array(range) }
        return Array(range.lowerBound..<other.lowerBound)
            + Array(other.upperBound..<range.upperBound)
    }
}
