/// What is known of the value under one key, and who listens to it.
///
/// A plain value; its channel keeps it under a lock and makes the calls outside.
struct ChannelState<Value: Sendable> {
    /// What is known of a place: nothing, or what lies there, which may be nothing.
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

    /// What everybody in this process reads.
    private(set) var memory = Knowledge.unknown
    /// What the medium was last known to hold.
    ///
    /// It differs from `memory` while something could not be stored.
    private(set) var stored = Knowledge.unknown
    /// Listeners, by the order in which they came.
    private var listeners: [(number: Int, listener: ChannelListener<Value>)] = []
    private var lastNumber = 0
    /// The read error that listeners were notified of last, with no value since.
    var trouble: String?
    /// The number of times that the medium was noted to hold another value, perhaps.
    private(set) var marks = 0
    /// The marks that a read of the medium has taken into account.
    private var settledMarks = 0
    /// The attempts to store `memory`, if the medium holds another value because a write has
    /// failed.
    private(set) var unsaved: UnsavedState?
    /// How many rely on `memory` being kept in step.
    private var users = 0

    var isInUse: Bool { users > 0 }

    /// `true` if reads need not ask the medium.
    var isKnown: Bool {
        if case .known = memory { true } else { false }
    }

    /// Notes a user; returns whether it is the first.
    mutating func beginUse() -> Bool {
        users += 1
        return users == 1
    }

    /// Notes that a user has gone; returns whether it was the last, after whom nothing is kept in step.
    mutating func endUse() -> Bool {
        users -= 1
        return users == 0
    }

    mutating func add(_ listener: ChannelListener<Value>) -> Int {
        lastNumber += 1
        listeners.append((lastNumber, listener))
        return lastNumber
    }

    mutating func removeListener(_ number: Int) {
        listeners.removeAll { $0.number == number }
    }

    /// Notes what everybody reads from now on, and what the medium holds.
    ///
    /// - Returns: What was known until now, to be released outside the lock.
    mutating func know(memory: Knowledge, stored: Knowledge) -> [Knowledge] {
        let displaced = [self.memory, self.stored]
        self.memory = memory
        self.stored = stored
        unsaved = nil
        return displaced
    }

    /// `true` if `memory` has to be compared with the medium before it is read again.
    var isOutdated: Bool { marks != settledMarks }

    /// Notes that the medium may hold another value.
    mutating func markOutdated() { marks += 1 }

    /// Notes that `memory` has been compared with the medium.
    ///
    /// - Parameter marks: The marks before the medium was read. Until now they keep other threads
    ///   from reading `memory`; later ones go on to do so.
    mutating func settleMarks(_ marks: Int) { settledMarks = max(settledMarks, marks) }

    /// Notes the value that the medium holds in place of an unsaved one, which stays in memory.
    mutating func know(storedBeneathUnsaved stored: Knowledge) -> [Knowledge] {
        let unsaved = unsaved
        defer { self.unsaved = unsaved }
        return know(memory: memory, stored: stored)
    }

    /// Notes a value that could not be stored and is read all the same.
    mutating func keep(_ value: Value?, _ unsaved: UnsavedState) -> [Knowledge] {
        defer { self.unsaved = unsaved }
        return know(memory: .known(value), stored: stored)
    }

    /// Notes that another attempt to store the unsaved value has failed.
    mutating func noteFailedAttempt(from start: ContinuousClock.Instant) {
        unsaved?.retries.noteFailure(from: start, to: .now)
    }

    /// The calls that tell all listeners of an event.
    func calls(_ event: StorageEvent<Value>) -> [@Sendable () -> Void] {
        listeners.map { entry in { [listener = entry.listener] in listener.receive(event) } }
    }
}
