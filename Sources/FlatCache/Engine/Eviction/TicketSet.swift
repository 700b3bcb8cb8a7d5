/// A set of tickets: one bit for each ticket up to the greatest in the set.
///
/// A plain value without locks or callbacks.
struct TicketSet {
    /// The bits, 64 to a word.
    private var words = ChunkedArray<UInt64>()
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    func contains(_ ticket: Ticket) -> Bool {
        ticket.index / 64 < words.count && words[ticket.index / 64] & Self.bit(of: ticket) != 0
    }

    mutating func insert(_ ticket: Ticket) {
        guard !contains(ticket) else { return }
        while words.count <= ticket.index / 64 { words.append(0) }
        words[ticket.index / 64] |= Self.bit(of: ticket)
        count += 1
    }

    mutating func remove(_ ticket: Ticket) {
        guard contains(ticket) else { return }
        words[ticket.index / 64] &= ~Self.bit(of: ticket)
        count -= 1
    }

    private static func bit(of ticket: Ticket) -> UInt64 { 1 << UInt64(ticket.index % 64) }
}
