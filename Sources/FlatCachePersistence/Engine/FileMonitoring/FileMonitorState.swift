/// The state of a monitor: the last look, the scheduled look, and the signs since the last look.
///
/// No change is lost because of one rule: only a look that begins after a sign was noted consumes
/// the sign.
struct FileMonitorState: Sendable {
    /// The delay of a look after a sign of a complete change, in nanoseconds.
    ///
    /// It is long enough to combine the signs of one change.
    static let shortDelay: UInt64 = 2_000_000

    /// The delay of a look after a sign of an incomplete write, in nanoseconds.
    ///
    /// If the writer closes the file within this time, the monitor reports one event.
    static let longDelay: UInt64 = 30_000_000

    /// The interval of looks at a file that the system can't watch, in nanoseconds.
    static let pollingInterval: UInt64 = 500_000_000

    /// The meaning of signs for a look.
    private struct Expectation: Sendable {
        /// The file has been touched, even if its metadata is the same.
        var isTouched = false
        /// A file has been put in the file's place.
        var hasArrival = false
        /// The route to the file has changed.
        var hasDetour = false
    }

    private var last: FileLook?
    private var deadline: UInt64?
    private var hasTold = false
    /// The meaning of the signs that no look has consumed.
    private var next = Expectation()
    /// The meaning of the signs that the current look consumes.
    private var current = Expectation()

    /// Notes a sign.
    ///
    /// - Parameters:
    ///   - sign: The sign.
    ///   - now: The time in nanoseconds, on a monotonic clock.
    /// - Returns: The time of a look to schedule, on the same clock; `nil` if a look that is early
    ///   enough has been scheduled.
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

    /// Schedules a look without a sign, because the system can't watch the file.
    ///
    /// - Parameter now: The time in nanoseconds.
    /// - Returns: The time of a look to schedule, like ``note(_:at:)``.
    mutating func poll(at now: UInt64) -> UInt64? { arrange(now + Self.pollingInterval) }

    private mutating func arrange(_ new: UInt64) -> UInt64? {
        if let deadline, deadline <= new { return nil }
        deadline = new
        return new
    }

    /// Begins the look that was scheduled for a time.
    ///
    /// - Parameter deadline: The scheduled time.
    /// - Returns: A Boolean value that indicates whether to take the look. It is `false` if an
    ///   earlier look has been scheduled since.
    mutating func beginLook(arrangedFor deadline: UInt64) -> Bool {
        guard self.deadline == deadline else { return false }
        self.deadline = nil
        current = next
        next = Expectation()
        return true
    }

    /// Notes that the current look has found a change of the route.
    mutating func noteDetourDuringLook() { current.hasDetour = true }

    /// Ends a look.
    ///
    /// - Parameter found: The result of the look.
    /// - Returns: The event to report, or `nil` if there is none. The first look reports none.
    mutating func endLook(_ found: FileLook) -> FileEvent? {
        let signs = current
        current = Expectation()
        guard let last else {
            self.last = found
            return nil
        }
        self.last = found
        // After the first event, the closure may have read the file between two folders that were
        // created and deleted, so a change of the route is enough reason to read it again. Before
        // that, changes of folders aren't reported.
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
            // A file system may reuse the number of a deleted file.
            let isOther = old.identity != new.identity || signs.hasArrival
            return isOther ? .replaced : .written
        case (.hidden, _), (_, .hidden):
            return signs.hasArrival ? .replaced : .written
        }
    }
}
