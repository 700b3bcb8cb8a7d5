/// The records of a table with a limit or with expiration about its entries: costs, order and
/// deadlines.
///
/// A plain value, the same for all types of values. The writers' lock guards it.
@usableFromInline
struct RetentionLedger {
    /// The slots of the entries, by ticket.
    private var slots: [UInt32] = []
    /// The costs of the entries, by ticket.
    private var costs: [Int] = []
    private var freeTickets: [Ticket] = []
    /// The entries that the open transaction has added and that aren't in the queue yet.
    private var arrivals: [Ticket] = []
    /// The added entries that have been removed again.
    private var departedArrivals: Set<Ticket> = []
    /// The total cost of all entries, which can't overflow.
    @usableFromInline private(set) var total: Int128 = 0
    /// The number of entries.
    var count: Int { slots.count - freeTickets.count }

    @usableFromInline var queue = SieveQueue()
    var deadlines = DeadlineHeap()
    /// The entries that have expired and still have a value.
    var stale: Set<Ticket> = []

    @usableFromInline
    func entry(of ticket: Ticket) -> EntryID { EntryID(slot: slots[ticket.index]) }

    @usableFromInline
    func cost(of ticket: Ticket) -> Int { costs[ticket.index] }

    /// Adds an entry without a cost.
    @usableFromInline
    mutating func add(_ entry: EntryID) -> Ticket {
        let ticket: Ticket
        if let free = freeTickets.popLast() {
            ticket = free
            slots[ticket.index] = entry.slot
        } else {
            ticket = Ticket(index: slots.count)
            slots.append(entry.slot)
            costs.append(0)
        }
        arrivals.append(ticket)
        return ticket
    }

    /// Appends the entries to the queue that were added since the last call.
    ///
    /// Must be called after the eviction that makes room for them. Otherwise, a hand at the end of
    /// the queue would move to each new entry instead of starting over.
    @usableFromInline
    mutating func enqueueArrivals() {
        for ticket in arrivals where !departedArrivals.contains(ticket) { queue.append(ticket) }
        arrivals.removeAll(keepingCapacity: arrivals.count < 64)
        if !departedArrivals.isEmpty { departedArrivals = [] }
    }

    @usableFromInline
    mutating func setCost(_ cost: Int, of ticket: Ticket) {
        total += Int128(cost) - Int128(costs[ticket.index])
        costs[ticket.index] = cost
    }

    @usableFromInline
    mutating func remove(_ ticket: Ticket) {
        setCost(0, of: ticket)
        if queue.contains(ticket) {
            queue.remove(ticket)
        } else {
            departedArrivals.insert(ticket)
        }
        deadlines.remove(ticket)
        stale.remove(ticket)
        freeTickets.append(ticket)
    }

    /// Records that an entry has moved to another slot.
    mutating func move(_ ticket: Ticket, to slot: UInt32) { slots[ticket.index] = slot }

    /// A Boolean value that indicates whether most of the memory belongs to removed entries.
    var isSparse: Bool {
        slots.count > Self.leastCompactedCount && count < slots.count / 4 && arrivals.isEmpty
    }

    private static var leastCompactedCount: Int { 256 }

    /// Frees the memory of removed entries.
    ///
    /// - Returns: The new tickets, indexed by the old ones.
    /// - Complexity: O(*n* log *n*) in the number of tickets, used and free.
    mutating func compact() -> [Ticket] {
        var compacted = RetentionLedger()
        var renamed = [Ticket](repeating: .none, count: slots.count)
        for ticket in queue.tickets {
            let new = compacted.add(entry(of: ticket))
            renamed[ticket.index] = new
            compacted.setCost(cost(of: ticket), of: new)
            if let deadline = deadlines.deadline(of: ticket) {
                compacted.deadlines.set(deadline, of: new)
            }
            if stale.contains(ticket) { compacted.stale.insert(new) }
        }
        compacted.enqueueArrivals()
        self = compacted
        return renamed
    }

    /// The number of entries for which memory is allocated, for tests.
    var capacity: Int { slots.count }
}
