/// What is to be removed of a table when it is trimmed, and how far that has come.
struct TrimPlan {
    /// How many values one commit removes at most.
    static var removedAtATime: Int { 1_024 }
    /// How many entries one commit looks at, at most.
    static var visitedAtATime: Int { 8_192 }

    let table: any AnyTable
    /// How many values are to be removed.
    var excess: Int
    /// Whether all has been looked at that there is to look at.
    var isDone = false

    /// How many entries are still to be looked at, in a table that knows which go first; `nil` before the
    /// first of them.
    var visitsLeft: Int?

    // Where the search for values that may go is, in one that does not know.
    var stripe = 0
    var slot = 0
    /// How many times all entries of the table had moved then.
    var rebuilds: UInt64 = 0

    init(table: any AnyTable, excess: Int) {
        self.table = table
        self.excess = excess
    }
}
