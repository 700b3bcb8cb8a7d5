@testable import FlatCache
@testable import FlatCacheTestSupport

/// An observation of a stress test, and the record of its calls.
final class StressObservation: Sendable {
    /// The action that the observer takes in its calls.
    enum Conduct: Sendable {
        case listens, writes, endsItself, observesAnew
    }

    /// The bounds of the time at which an observation began or ended.
    struct Moment<Time: Sendable>: Sendable {
        let earliest: Time
        let latest: Time
    }

    /// The times and calls of an observation.
    struct Record: Sendable {
        /// The bounds of the version at which the observation began.
        var registration = Moment<UInt64>(earliest: 0, latest: 0)
        /// The bounds of the time on the logical clock at which the observation began.
        var beginning = Moment(earliest: 0, latest: 0)
        /// The bounds of the time on the logical clock at which the observation ended.
        var end: Moment<Int>?
        /// The cache's version after the observation ended.
        var endVersion: UInt64?
        var calls: [StressCall] = []
    }

    private struct State {
        var record = Record()
        var token: Disposable?
    }

    let id: StressEntity.ID
    let following: RelationshipDepth
    let isInitial: Bool
    /// A Boolean value that indicates whether the observer receives changes rather than values.
    let isOfChanges: Bool
    let conduct: Conduct
    private let state = Locked(State())

    init(
        id: StressEntity.ID,
        following: RelationshipDepth,
        isInitial: Bool,
        isOfChanges: Bool,
        conduct: Conduct
    ) {
        self.id = id
        self.following = following
        self.isInitial = isInitial
        self.isOfChanges = isOfChanges
        self.conduct = conduct
    }

    var record: Record { state.withLock { $0.record } }

    func hasBegun(with token: Disposable, _ change: (inout Record) -> Void) {
        state.withLock { state in
            state.token = token
            change(&state.record)
        }
    }

    /// Returns the token to the first caller, which then ends the observation; `nil` to later
    /// callers, and until the observation has begun.
    func takeToken() -> Disposable? { state.withLock { $0.token.take() } }

    func note(_ change: (inout Record) -> Void) { state.withLock { change(&$0.record) } }

    /// Records the start of a call, and returns the number of calls before it.
    func noteCall(_ call: StressCall) -> Int {
        state.withLock { state in
            state.record.calls.append(call)
            return state.record.calls.count - 1
        }
    }
}

extension StressObservation: CustomStringConvertible {
    var description: String {
        "the observation of \(id) following \(following)\(isInitial ? " with initial" : "")"
    }
}
