/// The plan for trimming a table, with its progress.
struct TrimPlan {
    /// The maximum number of values that one commit removes.
    static var removedAtATime: Int { 1_024 }
    /// The maximum number of entries that one commit visits.
    static var visitedAtATime: Int { 8_192 }

    let table: any EvictingTable
    /// The number of values that still have to be removed.
    var excess: Int
    /// A Boolean value that indicates whether no entries are left to visit.
    var isDone = false

    /// The number of remaining visits in a table with an eviction policy, or `nil` before the first
    /// one.
    var visitsLeft: Int?

    // The position of the search in a table without an eviction policy.
    var stripe = 0
    /// The first hash in the segment that is being searched.
    var position: UInt64 = 0
    /// The serial number of that segment at the last visit.
    var serial: UInt64 = 0
    var slot = 0

    init(table: any EvictingTable, excess: Int) {
        self.table = table
        self.excess = excess
    }
}
