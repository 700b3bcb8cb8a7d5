/// The state of the limit and the expiry of a table: the costs, the order and the deadlines of the
/// entries.
///
/// A plain value without locks or callbacks, the same for all types of values. It returns the
/// entries to evict or to expire, and the table removes their values. The writers' lock guards it.
///
/// The functions that commits and exchanges call for each value either change the state in place or
/// are inlinable. A call of another function would copy the state, and count a reference to each of
/// its lists.
@usableFromInline
struct EvictionState {
    /// The maximum total cost of the entries.
    @usableFromInline var limit: Int
    /// A Boolean value that indicates whether all values cost the same, so that replacing a value
    /// can't exceed the limit.
    @usableFromInline let hasUniformCosts: Bool
    /// A Boolean value that indicates whether values expire or become stale, so that writes need
    /// the time.
    @usableFromInline private(set) var isTimed: Bool
    /// A Boolean value that indicates whether the freshness records and the marks determine the
    /// deadlines.
    ///
    /// A write that postpones a deadline then updates those only. The state learns the new deadline
    /// when the old one is reached.
    @usableFromInline private(set) var hasRecordedDeadlines: Bool
    @usableFromInline let rules: LifetimeRules

    /// The tickets of the entries, by slot.
    @usableFromInline private(set) var tickets: [Ticket]
    /// The entries, by ticket.
    var entries: [EntryID] = []
    /// The costs of the entries, by ticket.
    @usableFromInline private(set) var costs: [Int] = []
    /// The times of expiration that the values contain, by ticket, if the rules ask for them.
    private var ownExpirations: [Time] = []
    private var freeTickets: [Ticket] = []
    /// The entries that the open transaction has added and that aren't in the queue yet.
    private(set) var arrivals: [Ticket] = []
    /// The total cost of all entries, which can't overflow.
    @usableFromInline private(set) var totalCost: Int128 = 0

    var queue = SieveQueue()
    var deadlines = DeadlineHeap()
    @usableFromInline var ticks: ReadTicks
    /// The entries that have expired and stay as long as they are in use.
    var expired: Set<Ticket> = [] {
        didSet { hasExpired = !expired.isEmpty }
    }
    /// A Boolean value that indicates whether any entry has expired and stays.
    @usableFromInline private(set) var hasExpired = false

    init(
        limit: Int,
        hasUniformCosts: Bool,
        rules: LifetimeRules,
        isTimed: Bool,
        slotCount: Int,
        at now: @autoclosure () -> Time
    ) {
        self.limit = limit
        self.hasUniformCosts = hasUniformCosts
        self.rules = rules
        self.isTimed = isTimed
        hasRecordedDeadlines = isTimed && !rules.hasOwnTimes
        tickets = Array(repeating: .none, count: slotCount)
        ticks = ReadTicks(of: rules.expiration, at: now())
    }

    /// Makes writes record the time, although the rules don't need it.
    mutating func beginToRecordTimes() {
        isTimed = true
        hasRecordedDeadlines = true
    }

    /// The number of entries with a value.
    var count: Int { entries.count - freeTickets.count }

    /// Returns whether an entry has a value.
    func contains(_ entry: EntryID) -> Bool { ticket(of: entry) != nil }

    @inlinable
    func ticket(of entry: EntryID) -> Ticket? {
        let ticket = tickets[Int(entry.slot)]
        return ticket == .none ? nil : ticket
    }

    // MARK: Stored values

    /// Records that a value was stored in an entry, which is fresh from now on.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - cost: The cost of the value.
    ///   - now: The time, if values expire or become stale.
    ///   - own: The times that the value contains, if the rules need them.
    /// - Returns: A Boolean value that indicates whether the entry had no value before.
    @usableFromInline
    mutating func recordStored(
        _ entry: EntryID,
        cost: Int,
        at now: Time,
        _ own: LifetimeRules.OwnTimes
    ) -> Bool {
        let known = ticket(of: entry)
        let ticket = known ?? add(entry)
        setCost(cost, of: ticket)
        if isTimed {
            if hasExpired { expired.remove(ticket) }
            recordLifetime(of: ticket, at: now, own)
        }
        return known == nil
    }

    private mutating func add(_ entry: EntryID) -> Ticket {
        let ticket: Ticket
        if let free = freeTickets.popLast() {
            ticket = free
            entries[ticket.index] = entry
        } else {
            ticket = Ticket(index: entries.count)
            entries.append(entry)
            costs.append(0)
        }
        tickets[Int(entry.slot)] = ticket
        arrivals.append(ticket)
        return ticket
    }

    /// Sets the deadline of a value that is stored now.
    private mutating func recordLifetime(
        of ticket: Ticket,
        at now: Time,
        _ own: LifetimeRules.OwnTimes
    ) {
        let expiration = rules.expiration(storedAt: now, own)
        setDeadline(min(expiration, rules.staleTime(storedAt: now, own)), of: ticket)
        if case .atOwnTime = rules.expiration { setOwnExpiration(expiration, of: ticket) }
    }

    private mutating func setOwnExpiration(_ time: Time, of ticket: Ticket) {
        while ownExpirations.count <= ticket.index { ownExpirations.append(.max) }
        ownExpirations[ticket.index] = time
    }

    private mutating func setCost(_ cost: Int, of ticket: Ticket) {
        totalCost += Int128(cost) - Int128(costs[ticket.index])
        costs[ticket.index] = cost
    }

    /// Discards an entry that has no value any more.
    @usableFromInline
    mutating func forget(_ entry: EntryID) {
        guard let ticket = ticket(of: entry) else { return }
        tickets[Int(entry.slot)] = .none
        setCost(0, of: ticket)
        if queue.contains(ticket) { queue.remove(ticket) }
        deadlines.remove(ticket)
        if hasExpired { expired.remove(ticket) }
        freeTickets.append(ticket)
    }

    /// Appends the entries to the queue that were added since the last call.
    ///
    /// Must be called after the eviction that makes room for them. Otherwise, a hand at the end of
    /// the queue would move to each new entry instead of starting over.
    @usableFromInline
    mutating func enqueueArrivals() {
        for ticket in arrivals where hasEntry(ticket) && !queue.contains(ticket) {
            queue.append(ticket)
        }
        arrivals.removeAll(keepingCapacity: arrivals.count < 64)
    }

    /// Returns whether a ticket belongs to an entry, and not to one that has been discarded.
    private func hasEntry(_ ticket: Ticket) -> Bool {
        tickets[Int(entries[ticket.index].slot)] == ticket
    }

    /// Returns the time of expiration that an entry's value contains.
    func ownExpiration(of ticket: Ticket) -> Time {
        ticket.index < ownExpirations.count ? ownExpirations[ticket.index] : .max
    }

    // MARK: Moving

    /// Records that all entries have moved to other slots.
    ///
    /// - Complexity: O(*n*) in the number of slots, and O(*n* log *n*) in the number of entries if
    ///   the memory of discarded entries is freed.
    mutating func moveEntries(slotCount: Int, _ newEntry: (EntryID) -> EntryID) {
        let old = tickets
        tickets = Array(repeating: .none, count: slotCount)
        for ticket in old where ticket != .none {
            let entry = newEntry(entries[ticket.index])
            entries[ticket.index] = entry
            tickets[Int(entry.slot)] = ticket
        }
        if isSparse { compact() }
    }

    /// A Boolean value that indicates whether most of the memory belongs to discarded entries.
    private var isSparse: Bool {
        entries.count > Self.leastCompactedCount && count < entries.count / 4 && arrivals.isEmpty
    }

    private static var leastCompactedCount: Int { 256 }

    /// Frees the memory of discarded entries, which gives the others new tickets.
    private mutating func compact() {
        let former = self
        entries = []
        costs = []
        freeTickets = []
        queue = SieveQueue()
        deadlines = DeadlineHeap()
        expired = []
        ownExpirations = []
        for (index, old) in former.queue.tickets.enumerated() {
            let ticket = Ticket(index: index)
            let entry = former.entries[old.index]
            tickets[Int(entry.slot)] = ticket
            entries.append(entry)
            costs.append(former.costs[old.index])
            queue.append(ticket)
            setDeadline(former.deadlines.deadline(of: old) ?? .max, of: ticket)
            if former.expired.contains(old) { expired.insert(ticket) }
            if !former.ownExpirations.isEmpty {
                setOwnExpiration(former.ownExpirations[old.index], of: ticket)
            }
        }
    }

    /// The number of entries for which memory is allocated, for tests.
    var capacity: Int { entries.count }
}
