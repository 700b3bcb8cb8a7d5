/// The state of the limit and the expiry of a table: the costs, the order and the deadlines of the
/// entries.
///
/// A plain value without locks or callbacks, the same for all types of values. It returns the
/// entries to evict or to expire, and the table removes their values. The writers' lock guards it.
///
/// The functions that commits and exchanges call for each value either change the state in place or
/// are inlinable. A call of another function would copy the state, and retain each of its lists.
@usableFromInline
struct EvictionState {
    /// The maximum total cost of the entries.
    @usableFromInline var limit: Int
    /// `true` if all values cost the same, so that replacing a value can't exceed the limit.
    @usableFromInline let hasUniformCosts: Bool
    /// `true` if values expire or become stale, so that writes need the time.
    @usableFromInline private(set) var isTimed: Bool
    /// `true` if entries can have deadlines.
    ///
    /// Entries have no deadlines if writes record the time only because of an invalidation. The
    /// first invalidation of a type therefore takes the same time for any number of values.
    let hasDeadlines: Bool
    @usableFromInline let rules: LifetimeRules
    /// `true` if the state lists the entries.
    ///
    /// It doesn't if only invalidations make values stale. Then no entry is ever evicted or due.
    let listsEntries: Bool

    @usableFromInline private(set) var tickets = TicketMap()
    /// The entries, by ticket.
    var entries = ChunkedArray<EntryID>()
    /// The costs of the entries, by ticket.
    @usableFromInline private(set) var costs = ChunkedArray<Int>()
    /// The times of expiration that the values contain, by ticket, if the rules ask for them.
    private var ownExpirations = ChunkedArray<Time>()
    /// The total cost of all entries, in a type that can't overflow.
    @usableFromInline private(set) var totalCost: Int128 = 0

    var queue = SieveQueue()
    var deadlines = DeadlineHeap()
    @usableFromInline var ticks: ReadTicks

    init(
        limit: Int,
        hasUniformCosts: Bool,
        rules: LifetimeRules,
        isTimed: Bool,
        listsEntries: Bool = true,
        at now: @autoclosure () -> Time
    ) {
        self.limit = limit
        self.hasUniformCosts = hasUniformCosts
        self.rules = rules
        self.isTimed = isTimed
        hasDeadlines = isTimed
        self.listsEntries = listsEntries
        ticks = ReadTicks(of: rules.expiration, at: now())
    }

    /// Returns the state of a table with the same limit and rules, but without entries.
    func emptied() -> EvictionState {
        var empty = self
        empty.tickets = TicketMap()
        empty.entries = ChunkedArray()
        empty.costs = ChunkedArray()
        empty.ownExpirations = ChunkedArray()
        empty.totalCost = 0
        empty.queue = SieveQueue()
        empty.deadlines = DeadlineHeap()
        return empty
    }

    /// Makes writes record the time, although the rules don't need it.
    mutating func beginToRecordTimes() { isTimed = true }

    /// `true` if the freshness records and the marks determine the deadlines.
    ///
    /// A write that postpones a deadline then updates only the record and the mark. The state
    /// computes the new deadline when the old one is reached.
    var hasRecordedDeadlines: Bool { isTimed && !rules.hasOwnTimes }

    /// `true` if any expired entry is kept.
    var hasExpired: Bool { deadlines.expiredCount > 0 }

    /// The number of entries with a value.
    var count: Int { entries.count }

    /// Returns whether an entry has a value.
    func contains(_ entry: EntryID) -> Bool { ticket(of: entry) != nil }

    @inlinable
    func ticket(of entry: EntryID) -> Ticket? {
        let ticket = tickets[entry]
        return ticket == .none ? nil : ticket
    }

    // MARK: Stored values

    /// Records that a value was stored in an entry and is fresh from now on.
    ///
    /// - Parameters:
    ///   - now: The time, if values expire or become stale.
    ///   - own: The times that the value contains, if the rules need them.
    /// - Returns: `true` if the entry had no value before, or `false` if the state doesn't list the
    ///   entries.
    @usableFromInline
    mutating func recordStored(
        _ entry: EntryID,
        cost: Int,
        at now: Time,
        _ own: LifetimeRules.OwnTimes
    ) -> Bool {
        guard listsEntries else { return false }
        let known = ticket(of: entry)
        let ticket = known ?? add(entry)
        setCost(cost, of: ticket)
        if hasDeadlines {
            if hasExpired { deadlines.setExpired(false, ticket) }
            recordLifetime(of: ticket, at: now, own)
        }
        return known == nil
    }

    private mutating func add(_ entry: EntryID) -> Ticket {
        let ticket = Ticket(index: entries.count)
        entries.append(entry)
        costs.append(0)
        queue.append()
        if hasDeadlines { deadlines.append() }
        if case .atOwnTime = rules.expiration { ownExpirations.append(.max) }
        tickets.set(ticket, of: entry)
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
        if case .atOwnTime = rules.expiration { ownExpirations[ticket.index] = expiration }
    }

    private mutating func setCost(_ cost: Int, of ticket: Ticket) {
        totalCost += Int128(cost) - Int128(costs[ticket.index])
        costs[ticket.index] = cost
    }

    /// Discards an entry that no longer has a value.
    ///
    /// The entry with the greatest ticket takes over the free ticket, so that the lists have no
    /// gaps, and their memory is freed little by little.
    @usableFromInline
    mutating func forget(_ entry: EntryID) {
        guard let ticket = ticket(of: entry) else { return }
        tickets.remove(entry)
        setCost(0, of: ticket)
        queue.remove(ticket)
        if hasDeadlines { deadlines.discard(ticket) }
        let last = Ticket(index: entries.count - 1)
        let movedEntry = entries.removeLast()
        let movedCost = costs.removeLast()
        let movedExpiration = ownExpirations.popLast()
        if ticket == last { return }
        tickets.set(ticket, of: movedEntry)
        entries[ticket.index] = movedEntry
        costs[ticket.index] = movedCost
        if let movedExpiration { ownExpirations[ticket.index] = movedExpiration }
    }

    /// Appends the entries that were added since the last call to the queue.
    ///
    /// Must be called after the eviction that makes room for them. Otherwise, a hand at the end of
    /// the queue would move to each new entry instead of starting over.
    @usableFromInline
    mutating func enqueueArrivals() { queue.enqueueArrivals() }

    func ownExpiration(of ticket: Ticket) -> Time {
        ticket.index < ownExpirations.count ? ownExpirations[ticket.index] : .max
    }

    // MARK: Moving

    mutating func move(_ entry: EntryID, to newEntry: EntryID) {
        let ticket = tickets[entry]
        guard ticket != .none else { return }
        tickets.remove(entry)
        tickets.set(ticket, of: newEntry)
        entries[ticket.index] = newEntry
    }

    /// Frees the memory for a segment whose entries have moved or left.
    mutating func removeSegment(numbered number: UInt32) {
        tickets.removeSegment(numbered: number)
    }
}

extension EvictionState {
    /// Traps unless the lists agree with each other; for tests, between commits.
    ///
    /// - Complexity: O(*n*) in the number of slots.
    func checkInvariants() {
        var used: Set<Ticket> = []
        tickets.forEach { entry, ticket in
            precondition(
                entries[ticket.index] == entry && used.insert(ticket).inserted,
                "Each present value must have a ticket of its own."
            )
        }
        precondition(used.count == count, "Each ticket must have an entry.")
        precondition(!queue.hasArrivals, "No entry may be outside of the queue between commits.")
        precondition(Set(queue.tickets) == used, "The queue must contain all entries.")
        precondition(queue.tickets.count == used.count, "No entry may be queued twice.")
        precondition(deadlines.isInOrder, "The earliest deadline must come first.")
        let total = used.reduce(0 as Int128) { $0 + Int128(costs[$1.index]) }
        precondition(total == totalCost, "The total must be the sum of the costs.")
    }
}

/// The stored state of a list, an alias or a query that protects its entities from eviction.
@usableFromInline
protocol PinsEntities {
    var pinnedCacheKeys: Set<CacheKey> { get }
}

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
