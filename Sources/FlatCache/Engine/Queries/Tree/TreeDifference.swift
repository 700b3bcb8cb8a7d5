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
    /// The removed elements that can stay form a longest increasing subsequence of their places in
    /// the new version, as in `OrderDifference`.
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
            // An element that stays has as many unedited elements before it as it had.
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

    /// A Boolean value that indicates whether both versions have the same identifiers in the same
    /// order.
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
