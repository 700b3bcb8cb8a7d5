/// The stamps of the entities that were removed last.
///
/// A plain value without locks or callbacks.
struct RecentStamps<ID: Hashable & Sendable, Stamp: Sendable>: Sendable {
    /// The maximum number of stamps.
    static var limit: Int { 10_000 }

    private var stamps: [ID: (stamp: Stamp, number: Int)] = [:]
    /// The identifiers in the order of their removal, of which only the latest occurrence counts.
    private var order: [(id: ID, number: Int)] = []
    /// The number of identifiers at the start of `order` that are no longer used.
    private var unusedCount = 0
    private var lastNumber = 0

    subscript(id: ID) -> Stamp? { stamps[id]?.stamp }

    var count: Int { stamps.count }

    /// Inserts the stamp of a removed entity, and drops the oldest stamp if there are too many.
    mutating func insert(_ stamp: Stamp, of id: ID) {
        lastNumber += 1
        stamps[id] = (stamp, lastNumber)
        order.append((id, lastNumber))
        while stamps.count > Self.limit {
            let (oldest, number) = order[unusedCount]
            if stamps[oldest]?.number == number { stamps[oldest] = nil }
            unusedCount += 1
        }
        if unusedCount > Self.limit || order.count > 4 * Self.limit {
            order = order[unusedCount...].filter { stamps[$0.id]?.number == $0.number }
            unusedCount = 0
        }
    }
}
