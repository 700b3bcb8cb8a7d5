/// A sign that something has happened to a file, from which its monitor decides when to look at it
/// and what to tell.
enum FileSign: Hashable, Sendable {
    /// The file may have changed; if it looks as it did, it has not.
    case doubt

    /// A folder or a link on the way to the file has come, gone or been exchanged.
    case detour

    /// Somebody is writing the file, and probably not at the end.
    case writing

    /// Somebody has written the file or changed its attributes.
    case written

    /// A new file has been made in its place; probably to be written next.
    case beginning

    /// A whole file has been put in its place.
    case arrival

    /// The file has gone.
    case departure
}
