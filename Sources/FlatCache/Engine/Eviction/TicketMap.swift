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

    /// Removes the ticket of an entry, if it has one.
    mutating func remove(_ entry: EntryID) {
        if self[entry] != .none { tickets[Int(entry.segment)][Int(entry.slot)] = .none }
    }

    /// Frees the memory for a segment, in which no ticket must be left.
    mutating func removeSegment(numbered number: UInt32) {
        if Int(number) < tickets.count { tickets[Int(number)] = [] }
    }

    /// Calls a closure with each ticket and its entry.
    func forEach(_ body: (EntryID, Ticket) -> Void) {
        for (segment, tickets) in tickets.enumerated() {
            for (slot, ticket) in tickets.enumerated() where ticket != .none {
                body(EntryID(segment: UInt32(segment), slot: slot), ticket)
            }
        }
    }
}
