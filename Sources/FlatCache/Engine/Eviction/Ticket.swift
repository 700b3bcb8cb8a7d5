/// The number that identifies an entry in a table's ledger, even if the entry moves to another
/// slot.
@usableFromInline
struct Ticket: Hashable, Sendable {
    @usableFromInline let number: UInt32

    init(index: Int) { number = UInt32(index) }

    @inlinable
    init(number: UInt32) { self.number = number }

    /// The ticket of an entry that isn't in the ledger.
    @inlinable static var none: Ticket { Ticket(number: .max) }

    @inlinable
    static func == (left: Ticket, right: Ticket) -> Bool { left.number == right.number }

    /// The position of the entry in lists that are ordered by ticket.
    var index: Int { Int(number) }
}
