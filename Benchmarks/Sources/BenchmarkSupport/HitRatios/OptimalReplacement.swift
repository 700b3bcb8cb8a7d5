/// The fewest possible misses of a cache that stores each missing value.
///
/// Such a cache knows the future and evicts the value whose next request is the furthest away (MIN;
/// Belady, "A Study of Replacement Algorithms for a Virtual-Storage Computer", 1966).
enum OptimalReplacement {
    /// Returns the number of requests that such a cache misses.
    ///
    /// - Parameters:
    ///   - trace: The requests.
    ///   - capacity: The number of values that the cache keeps, at least one.
    /// - Complexity: O(*n* log *n*) in the number of requests.
    static func misses(in trace: Trace, capacity: Int) -> Int {
        precondition(capacity > 0, "A cache for \(capacity) values keeps none: give one or more.")
        let requests = trace.requests
        let nextUses = nextUses(of: requests)
        var kept: Set<Int> = []
        // The next uses of the kept values, and outdated ones. The outdated ones need not be
        // removed: they lie before the current request, so the maximum always belongs to a kept
        // value.
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

    /// The position of the next request for the same value, for each request.
    ///
    /// If there is none, it is the request's own position plus the number of all requests, which is
    /// beyond all positions.
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

/// A binary heap of numbers that returns the greatest.
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
