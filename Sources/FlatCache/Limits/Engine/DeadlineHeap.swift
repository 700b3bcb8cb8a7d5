/// A priority queue of the times at which entries expire.
///
/// A binary heap (Williams, "Algorithm 232: Heapsort", 1964) that records the position of each
/// entry. Each write postpones a deadline, and that costs one store: the entry moves only when its
/// old time is reached. A plain value without locks or callbacks.
struct DeadlineHeap {
    private struct Item {
        /// A time that isn't later than the entry's deadline.
        var time: Time
        var ticket: Ticket
    }

    private struct Place {
        /// The index of the entry in the heap, or a negative number if the entry has no deadline.
        var index: Int32 = -1
        /// `true` if the entry has expired and is kept because it's in use.
        var isExpired = false
        var deadline: Time = .max
    }

    private var items = ChunkedArray<Item>()
    /// The places, by ticket.
    private var places = ChunkedArray<Place>()
    /// The number of entries that have expired and are kept.
    private(set) var expiredCount = 0

    /// A time before which no entry is due, or `nil` if no entry has a deadline.
    var earliestTime: Time? { items.first?.time }

    func deadline(of ticket: Ticket) -> Time? {
        guard places[ticket.index].index >= 0 else { return nil }
        return places[ticket.index].deadline
    }

    func isExpired(_ ticket: Ticket) -> Bool { places[ticket.index].isExpired }

    /// Records whether an entry has expired and is kept.
    mutating func setExpired(_ isExpired: Bool, _ ticket: Ticket) {
        if places[ticket.index].isExpired == isExpired { return }
        places[ticket.index].isExpired = isExpired
        expiredCount += isExpired ? 1 : -1
    }

    /// Adds an entry without a deadline.
    ///
    /// Its ticket is the previous count of the entries.
    mutating func append() { places.append(Place()) }

    /// Sets the deadline of an entry.
    ///
    /// - Complexity: O(1) if the deadline is postponed, otherwise O(log *n*) in the number of
    ///   deadlines.
    mutating func set(_ deadline: Time, of ticket: Ticket) {
        places[ticket.index].deadline = deadline
        let index = Int(places[ticket.index].index)
        if index < 0 {
            items.append(Item(time: deadline, ticket: ticket))
            siftUp(items.count - 1)
        } else if deadline < items[index].time {
            items[index].time = deadline
            siftUp(index)
        }
    }

    /// Removes the deadline of an entry, if it has one.
    ///
    /// - Complexity: O(log *n*) in the number of deadlines.
    mutating func remove(_ ticket: Ticket) {
        guard places[ticket.index].index >= 0 else { return }
        let index = Int(places[ticket.index].index)
        places[ticket.index].index = -1
        places[ticket.index].deadline = .max
        let last = items.removeLast()
        guard index < items.count else { return }
        place(last, at: index)
        siftUp(index)
        siftDown(Int(places[last.ticket.index].index))
    }

    /// Discards an entry.
    ///
    /// The entry with the greatest ticket takes over its ticket.
    ///
    /// - Complexity: O(log *n*) in the number of deadlines.
    mutating func discard(_ ticket: Ticket) {
        remove(ticket)
        setExpired(false, ticket)
        let last = places.removeLast()
        guard ticket.index < places.count else { return }
        places[ticket.index] = last
        if last.index >= 0 { items[Int(last.index)].ticket = ticket }
    }

    /// The result of a check of the earliest entry.
    enum Found: Equatable {
        case nothing
        /// The deadline of an entry was postponed; the entry has moved to its new position.
        case putOff
        case due(Ticket)
    }

    /// Checks the entry with the earliest time.
    ///
    /// - Complexity: O(log *n*) in the number of deadlines.
    mutating func next(at now: Time) -> Found {
        guard let first = items.first, first.time <= now else { return .nothing }
        let deadline = places[first.ticket.index].deadline
        if deadline <= now { return .due(first.ticket) }
        items[0].time = deadline
        siftDown(0)
        return .putOff
    }

    private mutating func place(_ item: Item, at index: Int) {
        items[index] = item
        places[item.ticket.index].index = Int32(truncatingIfNeeded: index)
    }

    private mutating func siftUp(_ start: Int) {
        let item = items[start]
        var index = start
        while index > 0, items[(index - 1) / 2].time > item.time {
            place(items[(index - 1) / 2], at: index)
            index = (index - 1) / 2
        }
        place(item, at: index)
    }

    private mutating func siftDown(_ start: Int) {
        let item = items[start]
        var index = start
        while true {
            var child = 2 * index + 1
            if child + 1 < items.count, items[child + 1].time < items[child].time { child += 1 }
            guard child < items.count, items[child].time < item.time else { break }
            place(items[child], at: index)
            index = child
        }
        place(item, at: index)
    }

    /// `true` if the heap is ordered and all places are correct, for tests.
    var isInOrder: Bool {
        items.indices.allSatisfy { index in
            let item = items[index]
            let place = places[item.ticket.index]
            return items[(max(index, 1) - 1) / 2].time <= item.time && Int(place.index) == index
                && place.deadline >= item.time
        } && places.count { $0.index >= 0 } == items.count
            && places.count { $0.isExpired } == expiredCount
    }
}

/// The result of the check of a due entry.
enum Expiry: Equatable {
    /// According to its record and its mark, the entry is due later.
    case postponed
    /// The entry isn't in use; its value must be removed.
    case expired
    /// The entry is in use, and becomes stale with the open transaction.
    case becomesStale
    /// The entry is in use and has been stale before.
    case staysStale
}
