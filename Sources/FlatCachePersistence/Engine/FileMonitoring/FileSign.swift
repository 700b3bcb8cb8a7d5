/// A sign of a change to a file.
///
/// The monitor derives the time of the next look and the event from the signs.
enum FileSign: Hashable, Sendable {
    /// The file may have changed. If its metadata is the same, it has not.
    case doubt

    /// A folder or a link on the route to the file has been created, deleted or replaced.
    case detour

    /// The file is being written, and the write is probably incomplete.
    case writing

    /// The file or its attributes have been written.
    case written

    /// A new file has been created in the file's place, and is probably still to be written.
    case beginning

    /// A complete file has been put in the file's place.
    case arrival

    /// The file has been deleted or moved.
    case departure
}
