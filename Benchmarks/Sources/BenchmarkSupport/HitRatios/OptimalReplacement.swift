/// The fewest misses that are possible where each value that was missing is kept: those of a cache
/// that knows the future and lets go what is not asked for again for longest (MIN; Belady, "A Study
/// of Replacement Algorithms for a Virtual-Storage Computer", 1966).
enum OptimalReplacement {
    /// How many requests such a cache for so many values, at least one, cannot answer.
    ///
    /// - Complexity: O(*n* log *n*) in the number of requests.
    static func misses(in trace: Trace, capacity: Int) -> Int {
        precondition(capacity > 0, "A cache for \(capacity) values keeps none: give one or more.")
        let requests = trace.requests
        let nextUses = nextUses(of: requests)
        var kept: Set<Int> = []
        // The next uses of what is kept, and former ones. These need not be taken out: they lie
        // before the request at hand, so something that is kept is always found first.
        var uses = MaximumHeap()
        var misses = 0
        for (position, id) in requests.enumerated() {
            if !kept.contains(id) {
                misses += 1
                if kept.count == capacity, let latest = uses.popMaximum() {
                    kept.remove(requests[latest % requests.count])
                }
                kept.insert(id)
            }
            uses.insert(nextUses[position])
        }
        return misses
    }

    /// For each request, the position of the next one for the same value; if there is none, the
    /// request's own and the number of all requests together, which is beyond all positions.
    private static func nextUses(of requests: [Int]) -> [Int] {
        var nextUses = requests.indices.map { $0 + requests.count }
        var positions: [Int: Int] = [:]
        for (position, id) in requests.enumerated().reversed() {
            if let next = positions[id] { nextUses[position] = next }
            positions[id] = position
        }
        return nextUses
    }
}

/// Numbers of which the greatest is found at once: a binary heap.
private struct MaximumHeap {
    private var numbers: [Int] = []

    mutating func insert(_ number: Int) {
        numbers.append(number)
        var index = numbers.count - 1
        while index > 0, numbers[(index - 1) / 2] < numbers[index] {
            numbers.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func popMaximum() -> Int? {
        guard let maximum = numbers.first, let last = numbers.popLast() else { return nil }
        if numbers.isEmpty { return maximum }
        numbers[0] = last
        var index = 0
        while true {
            var child = 2 * index + 1
            if child + 1 < numbers.count, numbers[child + 1] > numbers[child] { child += 1 }
            guard child < numbers.count, numbers[child] > numbers[index] else { return maximum }
            numbers.swapAt(index, child)
            index = child
        }
    }
}
