/// The known value of one key.
///
/// A plain value, which its channel guards with a lock.
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

    /// A former state, to release outside the lock.
    struct Former {
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
    /// The read error that listeners were notified of last, with no value since.
    var reportedError: String?
    /// The number of reports that the medium may hold another value.
    private(set) var marks = 0
    /// The marks that a read of the medium has taken into account.
    private var settledMarks = 0
    /// The attempts to store `memory`, if the medium holds another value because a write has
    /// failed.
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
    mutating func know(memory: Knowledge, stored: Knowledge) -> Former {
        let displaced = Former(memory: self.memory, stored: self.stored, unsaved: unsaved)
        self.memory = memory
        self.stored = stored
        unsaved = nil
        return displaced
    }

    /// `true` if `memory` has to be compared with the medium before it is read again.
    var isOutdated: Bool { marks != settledMarks }

    /// Records that the medium may hold another value.
    mutating func markOutdated() { marks += 1 }

    /// Records that `memory` has been compared with the medium.
    ///
    /// - Parameter marks: The marks before the medium was read. They no longer block reads of
    ///   `memory`; later ones do.
    mutating func settleMarks(_ marks: Int) { settledMarks = max(settledMarks, marks) }

    /// Sets the known value of the medium while an unsaved value stays in memory.
    mutating func know(storedBeneathUnsaved stored: Knowledge) -> Former {
        let unsaved = unsaved
        defer { self.unsaved = unsaved }
        return know(memory: memory, stored: stored)
    }

    /// Sets the value that this process reads although it could not be stored.
    mutating func keep(_ value: Value?, _ unsaved: UnsavedState<Value>) -> Former {
        defer { self.unsaved = unsaved }
        return know(memory: .known(value), stored: stored)
    }

    /// Records another failed attempt to store the unsaved value.
    mutating func recordFailedAttempt(from start: ContinuousClock.Instant) {
        unsaved?.retries.recordFailure(from: start, to: .now)
    }
}
