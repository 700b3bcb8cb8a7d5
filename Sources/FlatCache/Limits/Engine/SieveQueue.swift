/// A queue of entries in the order of their arrival, with a hand that selects the next one to
/// evict.
///
/// The queue of SIEVE (Zhang et al., 2024): a doubly linked list whose order doesn't change when an
/// entry is read. The hand doesn't reach new entries, the arrivals, until they are enqueued. A
/// plain value without locks or callbacks.
struct SieveQueue {
    private struct Links {
        var older: Ticket
        var newer: Ticket
    }

    /// The links, by ticket.
    private var links = ChunkedArray<Links>()
    private var oldest = Ticket.none
    private var newest = Ticket.none
    /// The newest queued entry; the ones that follow are arrivals.
    private var newestQueued = Ticket.none
    /// The next queued entry to visit; `none` stands for the oldest.
    private var hand = Ticket.none

    /// The number of entries, including arrivals.
    var count: Int { links.count }

    var hasArrivals: Bool { newest != newestQueued }

    /// Adds an entry as the newest arrival.
    ///
    /// Its ticket is the previous count of the entries.
    mutating func append() {
        let ticket = Ticket(index: links.count)
        links.append(Links(older: newest, newer: .none))
        setNewer(ticket, of: newest)
        newest = ticket
    }

    /// Moves the arrivals to the end of the queue.
    mutating func enqueueArrivals() { newestQueued = newest }

    /// Removes an entry.
    ///
    /// The entry with the greatest ticket takes over its ticket.
    mutating func remove(_ ticket: Ticket) {
        let removed = links[ticket.index]
        if hand == ticket { hand = ticket == newestQueued ? .none : removed.newer }
        if newestQueued == ticket { newestQueued = removed.older }
        setNewer(removed.newer, of: removed.older)
        setOlder(removed.older, of: removed.newer)
        let last = Ticket(index: links.count - 1)
        let moved = links.removeLast()
        if last == ticket { return }
        links[ticket.index] = moved
        if hand == last { hand = ticket }
        if newestQueued == last { newestQueued = ticket }
        setNewer(ticket, of: moved.older)
        setOlder(ticket, of: moved.newer)
    }

    private mutating func setNewer(_ newer: Ticket, of ticket: Ticket) {
        if ticket == .none { oldest = newer } else { links[ticket.index].newer = newer }
    }

    private mutating func setOlder(_ older: Ticket, of ticket: Ticket) {
        if ticket == .none { newest = older } else { links[ticket.index].older = older }
    }

    /// Returns the entry under the hand and moves the hand to the next newer entry, or from the
    /// newest to the oldest.
    mutating func advance() -> Ticket? {
        if newestQueued == .none { return nil }
        let ticket = hand == .none ? oldest : hand
        hand = ticket == newestQueued ? .none : links[ticket.index].newer
        return ticket
    }

    /// The queued entries, from the oldest to the newest.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    var tickets: [Ticket] {
        newestQueued == .none ? [] : tickets(from: oldest, through: newestQueued)
    }

    /// The arrivals, from the oldest to the newest, for tests.
    var arrivingTickets: [Ticket] {
        let first = newestQueued == .none ? oldest : links[newestQueued.index].newer
        return tickets(from: first, through: newest)
    }

    private func tickets(from first: Ticket, through last: Ticket) -> [Ticket] {
        var tickets: [Ticket] = []
        var ticket = first
        while ticket != .none {
            tickets.append(ticket)
            ticket = ticket == last ? .none : links[ticket.index].newer
        }
        return tickets
    }
}

/// The marks of a segment's entries, recording whether and in which tick an entry was read.
///
/// Each slot has a byte: one bit is set when the entry has been read, and six contain the tick of
/// the last access.
///
/// The stripe's lock guards the marks.
@usableFromInline
struct EvictionMarks {
    @usableFromInline let base: UnsafeMutableRawPointer
    /// The byte that marks an entry as read in the current tick.
    @usableFromInline let accessMark: UInt8

    @inlinable @inline(__always)
    init(base: UnsafeMutableRawPointer, accessMark: UInt8) {
        self.base = base
        self.accessMark = accessMark
    }

    @inlinable static var visitedBit: UInt8 { 1 }
    /// The number of ticks that the marks distinguish.
    static var tickCount: Int { 64 }

    static func accessMark(inTick tick: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: tick % Self.tickCount) << 2 | Self.visitedBit
    }

    @inlinable @inline(__always)
    subscript(slot: Int) -> UInt8 {
        get { base.load(fromByteOffset: slot, as: UInt8.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: slot, as: UInt8.self) }
    }

    /// Returns the tick in which an entry was last read or written.
    func tick(of slot: Int) -> Int { Int(self[slot] >> 2) }

    @inlinable @inline(__always)
    func recordAccess(_ slot: Int) { self[slot] = accessMark }

    /// Records a write to an existing entry.
    ///
    /// The write counts as a read in the tick before the current one, because the end of the
    /// current tick isn't known yet. The exact time of the write is stored separately.
    @inlinable @inline(__always)
    func recordStored(_ slot: Int) {
        self[slot] = accessMark &- 4
    }

    /// Records a new entry as unread.
    @inlinable
    func recordArrival(_ slot: Int) {
        self[slot] = (accessMark &- 4) & ~Self.visitedBit
    }

    /// Returns whether an entry has been read since the last call.
    @inlinable
    func takeVisit(_ slot: Int) -> Bool {
        let mark = self[slot]
        self[slot] = mark & ~Self.visitedBit
        return mark & Self.visitedBit != 0
    }

    @inlinable
    func clear(_ slot: Int) { self[slot] = 0 }
}
