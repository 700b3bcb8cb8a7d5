/// A queue of entries in the order of their arrival, with a hand that selects the next one to
/// evict.
///
/// The queue of SIEVE (Zhang et al., 2024): a doubly linked list whose order doesn't change when an
/// entry is read. A plain value without locks or callbacks.
struct SieveQueue {
    private struct Links {
        var older: Ticket
        var newer: Ticket
    }

    /// The links, by ticket.
    private var links: [Links] = []
    private var oldest = Ticket.none
    private var newest = Ticket.none
    /// The next entry to visit; `none` stands for the oldest.
    private var hand = Ticket.none

    func contains(_ ticket: Ticket) -> Bool {
        guard ticket.index < links.count else { return false }
        return links[ticket.index].older != .none || oldest == ticket
    }

    /// Adds an entry as the newest.
    mutating func append(_ ticket: Ticket) {
        assert(!contains(ticket), "An entry can be in the queue only once.")
        let index = ticket.index
        while links.count <= index { links.append(Links(older: .none, newer: .none)) }
        links[index] = Links(older: newest, newer: .none)
        if newest == .none {
            oldest = ticket
        } else {
            links[newest.index].newer = ticket
        }
        newest = ticket
    }

    mutating func remove(_ ticket: Ticket) {
        let removed = links[ticket.index]
        if hand == ticket { hand = removed.newer }
        if removed.older == .none {
            oldest = removed.newer
        } else {
            links[removed.older.index].newer = removed.newer
        }
        if removed.newer == .none {
            newest = removed.older
        } else {
            links[removed.newer.index].older = removed.older
        }
        links[ticket.index] = Links(older: .none, newer: .none)
    }

    /// Returns the entry under the hand and moves the hand to the next newer entry, or from the
    /// newest to the oldest.
    mutating func advance() -> Ticket? {
        let ticket = hand == .none ? oldest : hand
        if ticket == .none { return nil }
        hand = links[ticket.index].newer
        return ticket
    }

    /// All entries, from the oldest to the newest.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    var tickets: [Ticket] {
        var tickets: [Ticket] = []
        var ticket = oldest
        while ticket != .none {
            tickets.append(ticket)
            ticket = links[ticket.index].newer
        }
        return tickets
    }
}
