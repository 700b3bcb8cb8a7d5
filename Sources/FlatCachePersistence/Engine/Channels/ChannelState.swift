/// The known value of one key, in memory and in the medium.
///
/// The channel of the key guards it with a lock.
struct ChannelState<Value: Sendable> {
    /// The known content of memory or of the medium: unknown, a value, or no value.
    enum Knowledge {
        case unknown
        case known(Value?)

        func holds(_ value: Value?, _ areEqual: ValueComparison<Value>?) -> Bool {
            guard case .known(let known) = self else { return false }
            switch (known, value) {
            case (nil, nil): return true
            case (let known?, let value?): return areEqual?(known, value) ?? false
            default: return false
            }
        }
    }

    /// The prior values, to release outside the lock.
    struct PriorState {
        let memory: Knowledge
        let stored: Knowledge
        let unsaved: UnsavedState<Value>?
    }

    /// The value that this process reads.
    private(set) var memory = Knowledge.unknown
    /// The last known value of the medium.
    ///
    /// It differs from `memory` while a value could not be stored.
    private(set) var stored = Knowledge.unknown
    /// The description of the last reported read error, until a value is read again.
    var reportedError: String?
    /// The number of reports that the medium may hold another value.
    private(set) var reportCount = 0
    /// The number of these reports that a read of the medium has handled.
    private var handledReportCount = 0
    /// The state of `memory` if it could not be stored, so that the medium holds another value.
    private(set) var unsaved: UnsavedState<Value>?
    /// The number of users for which `memory` is kept current.
    private var users = 0

    var isInUse: Bool { users > 0 }

    /// A Boolean value that indicates whether reads can skip the medium.
    var isKnown: Bool {
        if case .known = memory { true } else { false }
    }

    /// Adds a user, and returns whether it's the first.
    mutating func beginUse() -> Bool {
        users += 1
        return users == 1
    }

    /// Removes a user, and returns whether it was the last one.
    ///
    /// Without users, `memory` isn't kept current.
    mutating func endUse() -> Bool {
        users -= 1
        return users == 0
    }

    /// Sets the value that this process reads and the known value of the medium.
    ///
    /// - Returns: The previous values, to release outside the lock.
    mutating func set(memory: Knowledge, stored: Knowledge) -> PriorState {
        let prior = PriorState(memory: self.memory, stored: self.stored, unsaved: unsaved)
        self.memory = memory
        self.stored = stored
        unsaved = nil
        return prior
    }

    /// A Boolean value that indicates whether `memory` must be compared with the medium before the
    /// next read.
    var isOutdated: Bool { reportCount != handledReportCount }

    /// Records that the medium may hold another value.
    mutating func markOutdated() { reportCount += 1 }

    /// Records that `memory` has been compared with the medium.
    ///
    /// - Parameter count: The report count before the medium was read. Later reports still require
    ///   a comparison.
    mutating func recordComparison(handling count: Int) {
        handledReportCount = max(handledReportCount, count)
    }

    /// Sets the known value of the medium while an unsaved value stays in memory.
    mutating func set(storedBeneathUnsaved stored: Knowledge) -> PriorState {
        let unsaved = unsaved
        defer { self.unsaved = unsaved }
        return set(memory: memory, stored: stored)
    }

    /// Sets the value that this process reads although it could not be stored.
    mutating func keep(_ value: Value?, _ unsaved: UnsavedState<Value>) -> PriorState {
        defer { self.unsaved = unsaved }
        return set(memory: .known(value), stored: stored)
    }

    /// Records another failed attempt to store the unsaved value.
    mutating func recordFailedAttempt(from start: ContinuousClock.Instant) {
        unsaved?.retries.recordFailure(from: start, to: .now)
    }
}
