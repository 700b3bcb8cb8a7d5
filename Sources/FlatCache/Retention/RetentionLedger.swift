/// What a table with a limit or with values that expire knows of each of them.
///
/// A plain value, the same for all types. Guarded by the writers' lock.
@usableFromInline
struct RetentionLedger {
    /// The slots of the entries, by ticket.
    private var slots: [UInt32] = []
    /// What each entry costs, by ticket.
    private var costs: [Int] = []
    private var freeTickets: [Ticket] = []
    /// Those that have come with the open transaction and are not in the queue yet.
    private var arrivals: [Ticket] = []
    /// Those of them that have gone again.
    private var departedArrivals: Set<Ticket> = []
    /// What all entries cost: a sum that no costs overflow.
    @usableFromInline private(set) var total: Int128 = 0
    /// How many entries there are.
    var count: Int { slots.count - freeTickets.count }

    @usableFromInline var queue = SieveQueue()
    var deadlines = DeadlineHeap()
    /// Those that have expired and are still there.
    var stale: Set<Ticket> = []

    @usableFromInline
    func entry(of ticket: Ticket) -> EntryID { EntryID(slot: slots[Int(ticket)]) }

    @usableFromInline
    func cost(of ticket: Ticket) -> Int { costs[Int(ticket)] }

    /// Adds an entry, which costs nothing yet.
    @usableFromInline
    mutating func add(_ entry: EntryID) -> Ticket {
        let ticket: Ticket
        if let free = freeTickets.popLast() {
            ticket = free
            slots[Int(ticket)] = entry.slot
        } else {
            ticket = Ticket(slots.count)
            slots.append(entry.slot)
            costs.append(0)
        }
        arrivals.append(ticket)
        return ticket
    }

    /// Puts those into the queue that have come since the last call.
    ///
    /// After room has been made for them: the hand, when it is at the end of the queue, begins anew, and
    /// does not stay there for each that comes.
    @usableFromInline
    mutating func enqueueArrivals() {
        for ticket in arrivals where !departedArrivals.contains(ticket) { queue.append(ticket) }
        arrivals.removeAll(keepingCapacity: arrivals.count < 64)
        if !departedArrivals.isEmpty { departedArrivals = [] }
    }

    @usableFromInline
    mutating func setCost(_ cost: Int, of ticket: Ticket) {
        total += Int128(cost) - Int128(costs[Int(ticket)])
        costs[Int(ticket)] = cost
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

    /// Notes that an entry is in another slot.
    mutating func move(_ ticket: Ticket, to slot: UInt32) { slots[Int(ticket)] = slot }

    /// Whether most of the memory is of entries that have gone.
    var isSparse: Bool {
        slots.count > Self.leastCompactedCount && count < slots.count / 4 && arrivals.isEmpty
    }

    private static var leastCompactedCount: Int { 256 }

    /// Gives back the memory of entries that have gone.
    ///
    /// - Returns: The new tickets, by the former ones.
    /// - Complexity: O(*n* log *n*) in the number of entries that there have been.
    mutating func compact() -> [Ticket] {
        var compacted = RetentionLedger()
        var renamed = [Ticket](repeating: .none, count: slots.count)
        for ticket in queue.tickets {
            let new = compacted.add(entry(of: ticket))
            renamed[Int(ticket)] = new
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

    /// For how many entries there is memory; for tests.
    var capacity: Int { slots.count }
}
