/// What the calls of a history are made on: a cache, or something that only claims to be as good.
protocol LinearizabilitySubject: Sendable {
    /// Creates a subject with what is there before the calls.
    init(_ plan: HistoryPlan)

    var version: UInt64 { get }

    /// Makes a call.
    ///
    /// - Parameter pauses: To be taken in the middle.
    /// - Returns: What it shows.
    func perform(_ operation: HistoryOperation, _ pauses: Pauses) -> HistoryResult
}
