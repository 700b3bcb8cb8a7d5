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

/// The tickets of the entries of a table.
///
/// A plain value. The memory grows with the slots that have been used, a segment at a time.
@usableFromInline
struct TicketMap {
    /// The tickets by slot, for each segment by number.
    @usableFromInline private(set) var tickets: [[Ticket]] = []

    @inlinable
    init() {}

    /// The ticket of an entry, or `.none`.
    @inlinable
    subscript(entry: EntryID) -> Ticket {
        let segment = Int(entry.segment)
        guard segment < tickets.count else { return .none }
        let slot = Int(entry.slot)
        return slot < tickets[segment].count ? tickets[segment][slot] : .none
    }

    mutating func set(_ ticket: Ticket, of entry: EntryID) {
        let segment = Int(entry.segment)
        while tickets.count <= segment { tickets.append([]) }
        while tickets[segment].count <= Int(entry.slot) { tickets[segment].append(.none) }
        tickets[segment][Int(entry.slot)] = ticket
    }

    mutating func remove(_ entry: EntryID) {
        if self[entry] != .none { tickets[Int(entry.segment)][Int(entry.slot)] = .none }
    }

    /// Frees the memory for a segment, in which no ticket must be left.
    mutating func removeSegment(numbered number: UInt32) {
        if Int(number) < tickets.count { tickets[Int(number)] = [] }
    }

    func forEach(_ body: (EntryID, Ticket) -> Void) {
        for (segment, tickets) in tickets.enumerated() {
            for (slot, ticket) in tickets.enumerated() where ticket != .none {
                body(EntryID(segment: UInt32(segment), slot: slot), ticket)
            }
        }
    }
}
