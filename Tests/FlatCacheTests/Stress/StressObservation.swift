@testable import FlatCache

/// An observation under fire, and all that happens to it.
final class StressObservation: Sendable {
    /// What its observer does besides listening.
    enum Conduct: Sendable {
        case listens, writes, endsItself, observesAnew
    }

    /// When it began or ended: no earlier than `earliest` and no later than `latest`.
    struct Moment<Time: Sendable>: Sendable {
        let earliest: Time
        let latest: Time
    }

    /// All that has happened to an observation.
    struct Record: Sendable {
        /// The version of the commit after which it began.
        var registration = Moment<UInt64>(earliest: 0, latest: 0)
        /// When it began, on the logical clock.
        var beginning = Moment(earliest: 0, latest: 0)
        /// When it ended, on the logical clock.
        var end: Moment<Int>?
        /// The cache's version after it had ended.
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
    /// Whether it is told of changes; otherwise of values.
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

    /// The token, for the one who ends the observation; `nil` for others, and before it has begun.
    func takeToken() -> Disposable? { state.withLock { $0.token.take() } }

    func note(_ change: (inout Record) -> Void) { state.withLock { change(&$0.record) } }

    /// Notes that a call begins; returns how many there have been before.
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
