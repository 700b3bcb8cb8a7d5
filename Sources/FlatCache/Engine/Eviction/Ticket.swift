/// The number that identifies an entry in the eviction state of its table, even if the entry moves
/// to another slot.
///
/// The tickets of a table's entries are the numbers below their count. If an entry leaves, the one
/// with the greatest ticket takes over the free ticket.
@usableFromInline
struct Ticket: Hashable, Sendable {
    @usableFromInline let number: UInt32

    init(index: Int) { number = UInt32(index) }

    @inlinable
    init(number: UInt32) { self.number = number }

    /// The ticket of an entry without a value.
    @inlinable static var none: Ticket { Ticket(number: .max) }

    @inlinable
    static func == (left: Ticket, right: Ticket) -> Bool { left.number == right.number }

    /// The position of the entry in lists that are ordered by ticket.
    @inlinable var index: Int { Int(number) }
}
