@testable import FlatCacheTestSupport

/// The object on which the calls of a history are made: a cache or an imitation of one.
protocol LinearizabilitySubject: Sendable {
    /// Creates a subject with the initial contents of a plan.
    init(_ plan: HistoryPlan)

    var version: UInt64 { get }

    /// Makes a call.
    ///
    /// - Parameter pauses: The pauses to take during the call.
    /// - Returns: The result of the call.
    func perform(_ operation: HistoryOperation, _ pauses: Pauses) -> HistoryResult
}
