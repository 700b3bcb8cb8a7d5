/// The first run of a query that begins to be kept current.
struct QueryFirstRun<Element: Identifiable & Sendable, Payload: QueryPayload>
where Element.ID: Sendable {
    /// The number of the run.
    private var number = 0
    /// A Boolean value that indicates whether a thread has begun the run.
    private(set) var hasBegun = false
    /// The result, whose snapshot is open.
    private var result: QueryScan<Element, Payload>?

    /// A Boolean value that indicates whether a thread has begun the run and not ended it.
    var isRunning: Bool { hasBegun && result == nil }

    /// Begins the run; returns its number, or `nil` if a thread has begun it before.
    mutating func begin() -> Int? {
        if hasBegun { return nil }
        hasBegun = true
        number += 1
        return number
    }

    /// Stores the result of a run; returns whether the run is still needed.
    mutating func end(_ run: Int, with scan: QueryScan<Element, Payload>) -> Bool {
        guard hasBegun, run == number else { return false }
        result = scan
        return true
    }

    /// Returns the result once, when the run has ended.
    mutating func takeResult() -> QueryScan<Element, Payload>? { result.take() }

    /// Makes the result of a running thread unneeded, because a commit runs the query.
    mutating func supersede() {
        hasBegun = true
        number += 1
    }

    /// Makes another run possible; returns the result unless a commit has taken it.
    mutating func reset() -> QueryScan<Element, Payload>? {
        hasBegun = false
        return result.take()
    }
}
