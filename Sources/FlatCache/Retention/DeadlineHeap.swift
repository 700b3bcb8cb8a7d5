/// The times at which entries expire, of which the earliest is found at once.
///
/// A binary heap (Williams, "Algorithm 232: Heapsort", 1964) that knows where each entry is. To put a
/// time off, which each write does, costs one store: the entry is moved only when its old time has come.
/// A plain value: it neither locks nor calls anybody.
struct DeadlineHeap {
    private struct Item {
        /// Not later than the entry's deadline.
        var time: Time
        var ticket: Ticket
    }

    private struct Place {
        /// Where the entry is in the heap; negative if it has no deadline.
        var index: Int32 = -1
        var deadline: Time = .max
    }

    private var items: [Item] = []
    /// By ticket.
    private var places: [Place] = []

    /// A time before which nothing is due; `nil` if nothing has a deadline.
    var earliestTime: Time? { items.first?.time }

    func deadline(of ticket: Ticket) -> Time? {
        guard ticket < places.count, places[Int(ticket)].index >= 0 else { return nil }
        return places[Int(ticket)].deadline
    }

    /// Sets the deadline of an entry.
    ///
    /// - Complexity: O(1) if it is put off, else O(log *n*) in the number of deadlines.
    mutating func set(_ deadline: Time, of ticket: Ticket) {
        while places.count <= ticket { places.append(Place()) }
        places[Int(ticket)].deadline = deadline
        let index = Int(places[Int(ticket)].index)
        if index < 0 {
            items.append(Item(time: deadline, ticket: ticket))
            siftUp(items.count - 1)
        } else if deadline < items[index].time {
            items[index].time = deadline
            siftUp(index)
        }
    }

    /// Takes the deadline of an entry away, if it has one.
    ///
    /// - Complexity: O(log *n*) in the number of deadlines.
    mutating func remove(_ ticket: Ticket) {
        guard ticket < places.count, places[Int(ticket)].index >= 0 else { return }
        let index = Int(places[Int(ticket)].index)
        places[Int(ticket)] = Place()
        let last = items.removeLast()
        guard index < items.count else { return }
        place(last, at: index)
        siftUp(index)
        siftDown(Int(places[Int(last.ticket)].index))
    }

    /// What is found at the top of the heap.
    enum Found: Equatable {
        /// Nothing is due.
        case nothing
        /// An entry whose time has been put off meanwhile; it has been moved to where it belongs.
        case putOff
        /// An entry whose time has come.
        case due(Ticket)
    }

    /// Looks at the entry with the earliest time.
    ///
    /// - Complexity: O(log *n*) in the number of deadlines.
    mutating func next(at now: Time) -> Found {
        guard let first = items.first, first.time <= now else { return .nothing }
        let deadline = places[Int(first.ticket)].deadline
        if deadline <= now { return .due(first.ticket) }
        items[0].time = deadline
        siftDown(0)
        return .putOff
    }

    private mutating func place(_ item: Item, at index: Int) {
        items[index] = item
        places[Int(item.ticket)].index = Int32(truncatingIfNeeded: index)
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

    /// Whether each time is no earlier than that above it, and each place right; for tests.
    var isInOrder: Bool {
        items.indices.allSatisfy { index in
            let item = items[index]
            let place = places[Int(item.ticket)]
            return items[(max(index, 1) - 1) / 2].time <= item.time && Int(place.index) == index
                && place.deadline >= item.time
        } && places.count { $0.index >= 0 } == items.count
    }
}
