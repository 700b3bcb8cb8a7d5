/// An event of a file that a ``FileWriteMonitor`` watches.
///
/// ```swift
/// let monitor = FileWriteMonitor(url: settingsFile) { event in
///     switch event {
///     case .created, .written, .replaced: print("read the settings again")
///     case .deleted: print("return to the defaults")
///     }
/// }
/// ```
///
/// The monitor combines changes in quick succession into one event: the difference between two
/// checks of the file. If the file was deleted and created again between two checks, the event is
/// ``replaced``. The file may have changed again since the event, so read it to get its contents.
public enum FileEvent: Hashable, Sendable {
    /// The file didn't exist at the last check, and exists now.
    case created

    /// The file's contents or its metadata, such as its permissions, may have changed.
    ///
    /// They may also be equal to the old ones.
    case written

    /// Another file has taken the place of the file since the last check.
    case replaced

    /// The file doesn't exist. It may have been created and deleted since the last check.
    case deleted
}
