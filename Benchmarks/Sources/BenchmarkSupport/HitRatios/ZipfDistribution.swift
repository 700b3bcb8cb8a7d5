import Foundation

/// Random numbers of which few are frequent and many are rare: the probability of *n* is
/// proportional to 1 / (*n* + 1)^exponent.
struct ZipfDistribution: Sendable {
    /// The cumulative probability of each number.
    private let cumulativeShares: [Double]

    /// Creates a distribution of the numbers from zero to `count - 1`.
    init(count: Int, exponent: Double) {
        var sum = 0.0
        let sums = (1...max(1, count)).map { rank in
            sum += pow(Double(rank), -exponent)
            return sum
        }
        cumulativeShares = sums.map { $0 / sum }
    }

    /// Returns the next number.
    ///
    /// - Complexity: O(log *n*) in the size of the distribution.
    func next(using random: inout SeededGenerator) -> Int {
        let share = Double.random(in: 0..<1, using: &random)
        var (first, last) = (0, cumulativeShares.count - 1)
        while first < last {
            let middle = (first + last) / 2
            if cumulativeShares[middle] > share {
                last = middle
            } else {
                first = middle + 1
            }
        }
        return first
    }
}
