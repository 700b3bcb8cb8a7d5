/// What a monitor knows of its file, and when it is to look at it again.
///
/// The rule that keeps a change from being lost: a sign is used up by a look that begins after it
/// has been noted, and by no other.
struct FileMonitorState: Sendable {
    /// How long after a sign of a change that is complete the file is looked at, in nanoseconds:
    /// enough to take what belongs together for one.
    static let shortDelay: UInt64 = 2_000_000

    /// How long after a sign that somebody is at work on the file it is looked at, in nanoseconds:
    /// a writer who closes the file within it is told of once, when done.
    static let longDelay: UInt64 = 30_000_000

    /// How often a file is looked at that the system does not watch, in nanoseconds.
    static let pollingInterval: UInt64 = 500_000_000

    /// What signs mean for a look.
    private struct Expectation: Sendable {
        /// Something has happened to the file, however it looks.
        var isTouched = false
        /// A file has been put in its place.
        var hasArrival = false
        /// The way to the file has changed.
        var hasDetour = false
    }

    private var last: FileLook?
    private var deadline: UInt64?
    private var hasTold = false
    /// From the signs that no look has used up.
    private var next = Expectation()
    /// From the signs that the look which is being taken uses up.
    private var current = Expectation()

    /// Notes a sign.
    ///
    /// - Parameters:
    ///   - sign: The sign.
    ///   - now: The time in nanoseconds, of a clock that never goes back.
    /// - Returns: When to look at the file, on the same clock, if that has to be arranged for.
    mutating func note(_ sign: FileSign, at now: UInt64) -> UInt64? {
        let delay: UInt64
        switch sign {
        case .doubt:
            delay = Self.shortDelay
        case .detour:
            next.hasDetour = true
            delay = Self.shortDelay
        case .writing:
            next.isTouched = true
            delay = Self.longDelay
        case .written, .departure:
            next.isTouched = true
            delay = Self.shortDelay
        case .beginning:
            next.isTouched = true
            next.hasArrival = true
            delay = Self.longDelay
        case .arrival:
            next.isTouched = true
            next.hasArrival = true
            delay = Self.shortDelay
        }
        return arrange(now + delay)
    }

    /// Asks for a look although nothing has been noted, because the system would not tell.
    ///
    /// - Parameter now: The time in nanoseconds.
    /// - Returns: As ``note(_:at:)``.
    mutating func poll(at now: UInt64) -> UInt64? { arrange(now + Self.pollingInterval) }

    private mutating func arrange(_ new: UInt64) -> UInt64? {
        if let deadline, deadline <= new { return nil }
        deadline = new
        return new
    }

    /// Begins the look that has been arranged for a time.
    ///
    /// - Parameter deadline: The time, as it has been returned.
    /// - Returns: Whether to take the look: it may have been arranged for an earlier time since.
    mutating func beginLook(arrangedFor deadline: UInt64) -> Bool {
        guard self.deadline == deadline else { return false }
        self.deadline = nil
        current = next
        next = Expectation()
        return true
    }

    /// Notes that the way to the file has changed, as the look that is being taken has found.
    mutating func noteDetourDuringLook() { current.hasDetour = true }

    /// Ends a look.
    ///
    /// - Parameter found: What is there.
    /// - Returns: What to tell, if anything. Nothing after the first look of all.
    mutating func endLook(_ found: FileLook) -> FileEvent? {
        let signs = current
        current = Expectation()
        guard let last else {
            self.last = found
            return nil
        }
        self.last = found
        // Who has been told may have read the file between two folders that came and went, so that
        // the way alone is reason enough to read it again. Who has not, is spared a tale of
        // folders.
        let isTouched = signs.isTouched || (signs.hasDetour && hasTold)
        guard found != last || isTouched || (signs.hasDetour && found != .missing) else {
            return nil
        }
        hasTold = true
        switch (last, found) {
        case (_, .missing):
            return .deleted
        case (.missing, _):
            return .created
        case (.found(let old), .found(let new)):
            // A file system may give a new file the number of the one that has just gone.
            let isOther = old.identity != new.identity || signs.hasArrival
            return isOther ? .replaced : .written
        case (.hidden, _), (_, .hidden):
            return signs.hasArrival ? .replaced : .written
        }
    }
}
