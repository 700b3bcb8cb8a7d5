/// How one order of distinct elements becomes another.
///
/// The elements that both have and that need not move are a longest increasing subsequence of the
/// places that the elements of the one have in the other, found by patience sorting (Fredman, "On
/// Computing the Length of Longest Increasing Subsequences", 1975). The standard library's
/// `difference(from:)`, which must provide for repetitions, takes time in proportion to how much has
/// changed, too: for two orders that have little in common, to the square.
struct OrderDifference<Element: Hashable> {
    /// The removals and insertions, as few as there can be.
    let difference: CollectionDifference<Element>

    init(from old: [Element], to new: [Element]) {
        var placesInNew: [Element: Int] = [:]
        placesInNew.reserveCapacity(new.count)
        for (place, element) in new.enumerated() { placesInNew[element] = place }
        let places = old.map { placesInNew[$0] }
        let staying = Self.longestIncreasingSubsequence(of: places)
        var changes: [CollectionDifference<Element>.Change] = []
        var isKept = [Bool](repeating: false, count: new.count)
        var next = 0
        for (offset, element) in old.enumerated() {
            if next < staying.count, staying[next] == offset, let place = places[offset] {
                isKept[place] = true
                next += 1
            } else {
                changes.append(.remove(offset: offset, element: element, associatedWith: nil))
            }
        }
        for (offset, element) in new.enumerated() where !isKept[offset] {
            changes.append(.insert(offset: offset, element: element, associatedWith: nil))
        }
        guard let difference = CollectionDifference(changes) else {
            preconditionFailure("Each place of an order is removed or inserted at most once.")
        }
        self.difference = difference
    }

    /// The indices of a longest increasing subsequence of numbers, some of which may be missing.
    ///
    /// - Complexity: O(*n* log *n*).
    static func longestIncreasingSubsequence(of numbers: [Int?]) -> [Int] {
        /// For each length, the index at which a subsequence of that length ends lowest.
        var ends: [Int] = []
        var predecessors = [Int?](repeating: nil, count: numbers.count)
        for case (let index, let number?) in numbers.enumerated() {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if let end = numbers[ends[middle]], end < number {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            predecessors[index] = low == 0 ? nil : ends[low - 1]
            if low == ends.count {
                ends.append(index)
            } else {
                ends[low] = index
            }
        }
        var subsequence: [Int] = []
        var next = ends.last
        while let index = next {
            subsequence.append(index)
            next = predecessors[index]
        }
        return subsequence.reversed()
    }
}
