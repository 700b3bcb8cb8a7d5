@testable import FlatCache

/// For tests: a number of nanoseconds.
extension Time: ExpressibleByIntegerLiteral {
    init(integerLiteral value: Int64) { self.init(nanoseconds: value) }
}

/// For tests: the ticket's index.
extension Ticket: ExpressibleByIntegerLiteral {
    init(integerLiteral value: Int) { self.init(index: value) }
}
