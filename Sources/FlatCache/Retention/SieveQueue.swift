/// The number by which a table's ledger knows an entry, wherever that moves.
@usableFromInline typealias Ticket = UInt32

extension Ticket {
    /// That of an entry that the ledger doesn't know.
    @inlinable static var none: Ticket { .max }
}

/// Entries in the order in which they came, and the hand that chooses which one goes.
///
/// The queue of SIEVE (Zhang et al., 2024): a doubly linked list in which nothing moves when it is
/// read. A plain value: it neither locks nor calls anybody.
@usableFromInline
struct SieveQueue {
    private struct Links {
        var older: Ticket
        var newer: Ticket
    }

    /// By ticket.
    private var links: [Links] = []
    private var oldest = Ticket.none
    private var newest = Ticket.none
    /// What is looked at next; none for the oldest.
    private var hand = Ticket.none

    func contains(_ ticket: Ticket) -> Bool {
        guard ticket < links.count else { return false }
        return links[Int(ticket)].older != .none || oldest == ticket
    }

    /// Adds an entry as the newest.
    mutating func append(_ ticket: Ticket) {
        let index = Int(ticket)
        while links.count <= index { links.append(Links(older: .none, newer: .none)) }
        links[index] = Links(older: newest, newer: .none)
        if newest == .none {
            oldest = ticket
        } else {
            links[Int(newest)].newer = ticket
        }
        newest = ticket
    }

    mutating func remove(_ ticket: Ticket) {
        let removed = links[Int(ticket)]
        if hand == ticket { hand = removed.newer }
        if removed.older == .none {
            oldest = removed.newer
        } else {
            links[Int(removed.older)].newer = removed.newer
        }
        if removed.newer == .none {
            newest = removed.older
        } else {
            links[Int(removed.newer)].older = removed.older
        }
        links[Int(ticket)] = Links(older: .none, newer: .none)
    }

    /// The entry under the hand, which moves on to the next newer one, and from the newest to the
    /// oldest.
    @usableFromInline
    mutating func advance() -> Ticket? {
        let ticket = hand == .none ? oldest : hand
        if ticket == .none { return nil }
        hand = links[Int(ticket)].newer
        return ticket
    }

    /// All entries, the oldest first.
    ///
    /// - Complexity: O(*n*); for tests and invariants.
    var tickets: [Ticket] {
        var tickets: [Ticket] = []
        var ticket = oldest
        while ticket != .none {
            tickets.append(ticket)
            ticket = links[Int(ticket)].newer
        }
        return tickets
    }
}
