public import Foundation

/// A monitor of writes to a file, and of its replacement, deletion and creation, by any process.
///
/// The file need not exist, and neither need the folders on its path. All of them may be deleted,
/// renamed and created again while the monitor exists:
///
/// ```swift
/// let monitor = FileWriteMonitor(url: settingsFile) { event in
///     print("The settings have been \(event).")
/// }
/// ```
///
/// The monitor watches the file until it is deallocated or ``cancel()`` is called.
///
/// ## Events
/// The monitor combines events that come within some milliseconds. It loses none: after the last
/// change of the file it calls `onEvent` once more, so a closure that reads the file always reads
/// its last contents. An event need not be a change. A file that is overwritten with equal contents
/// has been ``FileEvent/written``. A file whose folder is created again without it has been
/// ``FileEvent/deleted`` once more.
///
/// The monitor resolves a path as the system does. If the path is a symbolic link or leads through
/// one, the monitor watches the target file and the link.
///
/// ## Limitations
/// The system reports no writes through mapped memory, no writes by other machines to a network
/// file system, and no file system that is mounted over a folder on the path.
///
/// If the system can't watch the file, for example because the user has reached the limit of
/// inotify watches, the monitor checks the file twice a second until the system can, and
/// ``watchError`` gives the reason. Meanwhile the monitor may combine two writes, and it misses a
/// write that changes neither the file's size nor its times.
public final class FileWriteMonitor: Sendable {
    private let core: FileMonitorCore

    /// Creates a monitor and begins to watch.
    ///
    /// The monitor reports all events after this call returns.
    ///
    /// ## Concurrency
    /// The closure is called on the monitor's own queue, under no lock, one call at a time. It may
    /// take long, since other monitors have their own queues. It may write or delete the file; that
    /// causes another call. It may also cancel the monitor. A closure that holds the monitor keeps
    /// it alive until it is canceled.
    ///
    /// - Parameters:
    ///   - url: A file URL. A relative one is resolved now. Any other URL traps.
    ///   - onEvent: A closure that receives the change of the file since the last call. It is
    ///     released when the monitor is canceled or deallocated.
    /// - Complexity: O(*n*), where *n* is the number of folders on the path of the file.
    public convenience init(url: URL, onEvent: @escaping @Sendable (FileEvent) -> Void) {
        self.init(url: url, watching: FileWatches.shared, onEvent: onEvent)
    }

    init(
        url: URL,
        watching: any FileWatching,
        clock: any PersistenceClock = SystemClock(),
        onEvent: @escaping @Sendable (FileEvent) -> Void
    ) {
        precondition(
            url.isFileURL,
            """
            A FileWriteMonitor cannot watch \(url): give a file URL, such as one from \
            URL(filePath:).
            """
        )
        let path = url.absoluteURL.path(percentEncoded: false)
        precondition(
            path.hasPrefix("/") && !path.utf8.contains(0),
            """
            A FileWriteMonitor cannot watch \(url): it has no path that a file can have. Give a \
            URL whose path is UTF-8 and holds no zero byte.
            """
        )
        core = FileMonitorCore(path: path, watching: watching, clock: clock, onEvent: onEvent)
        core.begin()
    }

    deinit { core.cancel() }

    /// The reason why the system can't watch the file, or `nil` if it can.
    ///
    /// If there is an error, the monitor checks the file twice a second. Each check asks the system
    /// again, so the property may change.
    public var watchError: FileError? { core.watchError }

    /// Stops watching the file.
    ///
    /// ```swift
    /// let monitor = FileWriteMonitor(url: settingsFile) { print($0) }
    /// monitor.cancel()
    /// ```
    ///
    /// After this call returns, no new call of the closure starts. A call that has started before
    /// may still be running; this method doesn't wait for it. Later calls have no effect.
    ///
    /// ## Concurrency
    /// This method may be called on any thread, also from inside the closure.
    public func cancel() { core.cancel() }
}

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
