/// How much ``Cache/trim(to:)`` leaves.
public enum TrimTarget: Hashable, Sendable {
    /// A part of the values that are there, between zero and one, of each type.
    case fraction(Double)
    /// So many values of all types together, of each in proportion to what is there, rounded down; zero or
    /// more.
    case count(Int)

    /// How many values of a type are left.
    func share(of count: Int, total: Int) -> Int {
        switch self {
        case .fraction(let fraction):
            return Int((Double(count) * fraction).rounded(.down))
        case .count(let limit):
            if limit >= total { return count }
            return Int((Double(count) * Double(limit) / Double(total)).rounded(.down))
        }
    }

    /// Traps if the target is none, so that a mistake shows where it was made and not when memory is
    /// short.
    package func check() {
        switch self {
        case .fraction(let fraction):
            precondition(
                (0...1).contains(fraction),
                "A cache cannot be trimmed to \(fraction) of itself: give a fraction from 0 to 1."
            )
        case .count(let count):
            precondition(
                count >= 0,
                "A cache cannot be trimmed to \(count) values: give zero or more."
            )
        }
    }
}
