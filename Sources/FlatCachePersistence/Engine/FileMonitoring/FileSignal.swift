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
