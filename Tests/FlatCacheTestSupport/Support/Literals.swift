@testable import FlatCache

/// Tests write times as numbers of nanoseconds.
extension Time: ExpressibleByIntegerLiteral {
    init(integerLiteral value: Int64) { self.init(nanoseconds: value) }
}

/// Tests write tickets as their indexes.
extension Ticket: ExpressibleByIntegerLiteral {
    init(integerLiteral value: Int) { self.init(index: value) }
}
