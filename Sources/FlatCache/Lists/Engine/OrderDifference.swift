/// The difference between two orders of distinct elements.
///
/// The elements that need not move form a longest increasing subsequence of the positions that the
/// old elements have in the new order. Patience sorting finds it (Fredman, "On Computing the Length
/// of Longest Increasing Subsequences", 1975). The standard library's `difference(from:)` has to
/// support repeated elements. Its time grows with the number of changes: it's quadratic for two
/// orders that have little in common.
struct OrderDifference<Element: Hashable> {
    /// The smallest set of removals and insertions.
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

    /// Returns the indices of a longest increasing subsequence of numbers, ignoring missing ones.
    ///
    /// - Complexity: O(*n* log *n*).
    static func longestIncreasingSubsequence(of numbers: [Int?]) -> [Int] {
        /// For each length, the index of the lowest number that ends a subsequence of that length.
        var ends: [Int] = []
        var predecessors = [Int?](repeating: nil, count: numbers.count)
        for case (let index, let number?) in numbers.enumerated() {
            let low = ends.indices.partitionPoint { numbers[ends[$0]] ?? number >= number }
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
