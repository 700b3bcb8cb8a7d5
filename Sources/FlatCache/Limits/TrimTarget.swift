/// The amount of values that ``Cache/trim(to:)`` keeps.
///
/// ```swift
/// cache.trim(to: .fraction(0.5))  // keeps half of the books, half of the authors, …
/// cache.trim(to: .count(0))  // keeps the values in use only
/// ```
public enum TrimTarget: Hashable, Sendable {
    /// A fraction of the current values of each type, from zero to one.
    case fraction(Double)
    /// A number of values of all types together, zero or more.
    ///
    /// Each type keeps a share in proportion to its current number of values, rounded down.
    case count(Int)

    /// Returns the number of values of a type to keep.
    func share(of count: Int, total: Int) -> Int {
        switch self {
        case .fraction(let fraction):
            return Int((Double(count) * fraction).rounded(.down))
        case .count(let limit):
            if limit >= total { return count }
            return Int((Double(count) * Double(limit) / Double(total)).rounded(.down))
        }
    }

    /// Traps if the target is invalid, so that the error appears where the target is set, and not
    /// when memory is short.
    package func check() {
        switch self {
        case .fraction(let fraction):
            precondition(
                (0...1).contains(fraction),
                "A cache cannot be trimmed to \(fraction) of itself: use a fraction from 0 to 1."
            )
        case .count(let count):
            precondition(
                count >= 0,
                "A cache cannot be trimmed to \(count) values: use zero or more."
            )
        }
    }
}
