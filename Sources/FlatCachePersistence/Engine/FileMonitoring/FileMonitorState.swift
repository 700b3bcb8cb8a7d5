/// The state of a monitor: the last check of the file, the scheduled check, and the signals since
/// the last check.
///
/// One rule ensures that no change is lost: a check consumes only signals that were recorded before
/// it began.
struct FileMonitorState: Sendable {
    /// The delay of a check after a signal of a complete change.
    ///
    /// It's long enough to combine the signals of one change.
    static let shortDelay: Duration = .milliseconds(2)

    /// The delay of a check after a signal of an incomplete write.
    ///
    /// If the writer closes the file within this time, the monitor reports one event.
    static let longDelay: Duration = .milliseconds(30)

    /// The interval of the checks of a file that the system can't watch.
    static let pollingInterval: Duration = .milliseconds(500)

    /// The findings that signals announce to a check.
    private struct Expectation: Sendable {
        /// The file has been touched, even if its metadata is the same.
        var isTouched = false
        /// Another file has been put at the path.
        var hasReplacement = false
        /// A folder or a link on the path has changed.
        var hasPathChange = false
    }

    /// The status at the last check.
    private var last: FileStatus?
    /// The time of the scheduled check.
    private var deadline: Duration?
    private var hasReported = false
    /// The findings of the signals that no check has consumed.
    private var next = Expectation()
    /// The findings of the signals that the current check consumes.
    private var current = Expectation()

    /// Records a signal; returns the time of a check to schedule, or `nil` if one is scheduled that
    /// is early enough.
    mutating func record(_ signal: FileSignal, at now: Duration) -> Duration? {
        switch signal {
        case .possibleChange: break
        case .pathChange: next.hasPathChange = true
        case .writing, .written, .removal: next.isTouched = true
        case .creation, .replacement:
            next.isTouched = true
            next.hasReplacement = true
        }
        let isIncomplete = signal == .writing || signal == .creation
        return schedule(now + (isIncomplete ? Self.longDelay : Self.shortDelay))
    }

    /// Schedules a check without a signal, because the system can't watch the file; returns its
    /// time as `record(_:at:)` does.
    mutating func poll(at now: Duration) -> Duration? { schedule(now + Self.pollingInterval) }

    private mutating func schedule(_ new: Duration) -> Duration? {
        if let deadline, deadline <= new { return nil }
        deadline = new
        return new
    }

    /// Begins the check that was scheduled for a time; returns `false` if an earlier one has been
    /// scheduled since.
    mutating func beginCheck(scheduledFor deadline: Duration) -> Bool {
        guard self.deadline == deadline else { return false }
        self.deadline = nil
        current = next
        next = Expectation()
        return true
    }

    mutating func recordPathChangeDuringCheck() { current.hasPathChange = true }

    /// Ends a check; returns the event to report, or `nil` after the first check or without one.
    mutating func endCheck(_ found: FileStatus) -> FileEvent? {
        let expected = current
        current = Expectation()
        defer { self.last = found }
        guard let last else { return nil }
        // After the first event, the closure may have read the file while folders on the path were
        // created and deleted, so it has to read the file again after a change of the path. Before
        // the first event, changes of folders aren't reported.
        let isTouched = expected.isTouched || (expected.hasPathChange && hasReported)
        guard found != last || isTouched || (expected.hasPathChange && found != .missing) else {
            return nil
        }
        hasReported = true
        switch (last, found) {
        case (_, .missing):
            return .deleted
        case (.missing, _):
            return .created
        case (.found(let old), .found(let new)):
            // A file system may reuse the number of a deleted file.
            let isOther = old.identity != new.identity || expected.hasReplacement
            return isOther ? .replaced : .written
        case (.inaccessible, _), (_, .inaccessible):
            return expected.hasReplacement ? .replaced : .written
        }
    }
}

/// A signal from the system that a file may have changed.
///
/// A monitor derives from its signals the time of the next check, and the event to report.
enum FileSignal: Hashable, Sendable {
    /// The file may have changed. If its metadata is the same, it hasn't.
    case possibleChange

    /// A folder or a link on the path of the file has been created, deleted or replaced.
    case pathChange

    /// The file is being written, and the write is probably incomplete.
    case writing

    /// The file or its attributes have been written.
    case written

    /// A new file has been created at the path, and is probably still to be written.
    case creation

    /// A complete file has been moved to the path.
    case replacement

    /// The file has been deleted or moved.
    case removal
}
