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
    /// Whether listeners have been told that the medium could not be read, and of nothing since.
    var isTroubled = false
    /// `true` if `memory` has to be compared with the medium before it is read again.
    private(set) var isOutdated = false
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

    /// Notes that the medium may hold another value.
    mutating func markOutdated() { isOutdated = isKnown }

    /// Forgets the mark before a read of the medium; returns it.
    mutating func takeOutdated() -> Bool {
        defer { isOutdated = false }
        return isOutdated
    }

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
