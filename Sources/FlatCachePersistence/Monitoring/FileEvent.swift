/// What has happened to a file that a ``FileWriteMonitor`` watches.
///
/// Several changes in quick succession are told as one, that which shows between the looks that the
/// monitor takes: a file that was deleted and written anew at once has been replaced. Whatever the
/// event, the file may have changed again since, so read it to know what it holds.
public enum FileEvent: Hashable, Sendable {
    /// The file was not there at the last look and is now.
    case created

    /// The file's contents, or what the system notes with them, such as its permissions, may have
    /// changed. They need not differ.
    case written

    /// Another file has been put in the place of the one that was there at the last look.
    case replaced

    /// The file is not there. It may have come and gone since the last look.
    case deleted
}
