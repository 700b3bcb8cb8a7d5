import Foundation

/// Numbers of which few are frequent and many are rare: number *n* comes in proportion to
/// 1 / (*n* + 1)^exponent.
struct ZipfDistribution: Sendable {
    /// For each number, the share of those up to it.
    private let cumulativeShares: [Double]

    /// Creates a distribution of the numbers from zero up.
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
    /// - Complexity: O(log *n*) in the number of numbers.
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
