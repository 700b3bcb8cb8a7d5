import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

struct OrderDifferenceTests {
    private func difference(from old: [Int], to new: [Int]) -> CollectionDifference<Int> {
        OrderDifference(from: old, to: new).difference
    }

    /// Returns two orders of distinct elements, with some elements in common.
    private func orders(_ random: inout SplitMix64) -> (old: [Int], new: [Int]) {
        let pool = Array(0..<random.number(in: 1...40))
        let old = pool.shuffled(using: &random).prefix(random.below(pool.count + 1))
        // Half of the time, most of the order stays the same, as is typical of lists in an app.
        guard random.oneIn(2) else {
            let new = pool.shuffled(using: &random).prefix(random.below(pool.count + 1))
            return (Array(old), Array(new))
        }
        var new = Array(old)
        for _ in 0..<random.below(4) where !new.isEmpty {
            let moved = new.remove(at: random.below(new.count))
            if !random.oneIn(3) { new.insert(moved, at: random.below(new.count + 1)) }
        }
        return (Array(old), new)
    }

    @Test(arguments: RandomTestSettings(seeds: 40).seeds)
    func leadsFromOneOrderToTheOtherInAsFewStepsAsThereCanBe(seed: Seed) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<25 {
            let (old, new) = orders(&random)
            let difference = difference(from: old, to: new)
            #expect(old.applying(difference) == new, "from \(old) to \(new)")
            #expect(
                difference.count == new.difference(from: old).count,
                "from \(old) to \(new): \(difference)"
            )
        }
    }

    @Test func emptyOrdersDontDiffer() {
        #expect(difference(from: [], to: []).isEmpty)
    }

    @Test func equalOrdersDontDiffer() {
        #expect(difference(from: [3, 1, 2], to: [3, 1, 2]).isEmpty)
    }

    @Test func fromNothingInsertsAll() {
        let difference = difference(from: [], to: [7, 5, 6])
        #expect(difference.removals.isEmpty)
        #expect(
            Array(difference.insertions) == [
                .insert(offset: 0, element: 7, associatedWith: nil),
                .insert(offset: 1, element: 5, associatedWith: nil),
                .insert(offset: 2, element: 6, associatedWith: nil),
            ]
        )
    }

    @Test func toNothingRemovesAll() {
        let difference = difference(from: [7, 5], to: [])
        #expect(difference.insertions.isEmpty)
        #expect(
            Array(difference.removals) == [
                .remove(offset: 0, element: 7, associatedWith: nil),
                .remove(offset: 1, element: 5, associatedWith: nil),
            ]
        )
    }

    @Test func reversedOrdersKeepOneElement() {
        let old = Array(0..<50)
        let difference = difference(from: old, to: old.reversed())
        #expect(difference.removals.count == 49)
        #expect(difference.insertions.count == 49)
        #expect(old.applying(difference) == old.reversed())
    }

    @Test func disjointOrdersReplaceAllElements() {
        let difference = difference(from: [1, 2, 3], to: [4, 5])
        #expect(difference.removals.count == 3)
        #expect(difference.insertions.count == 2)
        #expect([1, 2, 3].applying(difference) == [4, 5])
    }

    @Test func oneMovedElementIsOneMove() {
        let old = Array(0..<20)
        var new = old
        new.insert(new.remove(at: 15), at: 2)
        let moves = difference(from: old, to: new).inferringMoves()
        #expect(
            Array(moves) == [
                .remove(offset: 15, element: 15, associatedWith: 2),
                .insert(offset: 2, element: 15, associatedWith: 15),
            ]
        )
    }

    @Test func infersMovesOnlyOfCommonElements() {
        let moves = difference(from: [1, 2, 3], to: [3, 4, 1]).inferringMoves()
        let associated = moves.map { change in
            switch change {
            case .remove(_, let element, let partner), .insert(_, let element, let partner):
                (element, partner != nil)
            }
        }
        #expect(associated.filter(\.1).map(\.0).count == 2)
        #expect(Set(associated.filter { !$0.1 }.map(\.0)) == [2, 4])
        #expect([1, 2, 3].applying(moves) == [3, 4, 1])
    }

    @Test func longDisjointOrdersAreCompared() {
        // The difference algorithm of the standard library takes quadratic time here.
        let old = Array(0..<100_000)
        let new = Array(100_000..<200_000)
        let difference = difference(from: old, to: new)
        #expect(difference.count == 200_000)
        #expect(old.applying(difference) == new)
    }

    @Test func longReversedOrdersAreCompared() {
        let old = Array(0..<100_000)
        let difference = difference(from: old, to: old.reversed())
        #expect(difference.count == 199_998)
        #expect(old.applying(difference) == old.reversed())
    }

    /// Returns the length of a longest strictly increasing subsequence, found by trying all
    /// subsequences.
    private func bruteForceLength(_ numbers: [Int?]) -> Int {
        var longest = 0
        for mask in 0..<(1 << numbers.count) where mask.nonzeroBitCount > longest {
            let chosen = numbers.indices.filter { mask & (1 << $0) != 0 }.map { numbers[$0] }
            let isIncreasing = zip(chosen, chosen.dropFirst()).allSatisfy { left, right in
                guard let left, let right else { return false }
                return left < right
            }
            if isIncreasing, !chosen.contains(nil) { longest = chosen.count }
        }
        return longest
    }

    @Test(arguments: RandomTestSettings(seeds: 20).seeds)
    func findsALongestIncreasingSubsequence(seed: Seed) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<40 {
            let count = random.below(10)
            let numbers: [Int?] = (0..<count).map { _ in
                random.oneIn(5) ? nil : random.below(2 * count)
            }
            let indices = OrderDifference<Int>.longestIncreasingSubsequence(of: numbers)
            #expect(zip(indices, indices.dropFirst()).allSatisfy { $0 < $1 })
            let found = indices.compactMap { numbers[$0] }
            #expect(
                found.count == indices.count,
                "\(indices) of \(numbers) includes a missing position"
            )
            #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 }, "of \(numbers)")
            #expect(indices.count == bruteForceLength(numbers), "of \(numbers)")
        }
    }

    @Test func missingPositionsHaveNoSubsequence() {
        #expect(OrderDifference<Int>.longestIncreasingSubsequence(of: []) == [])
        #expect(OrderDifference<Int>.longestIncreasingSubsequence(of: [nil, nil]) == [])
    }
}
