public import Foundation

/// Tells of writes to a file, of its replacement, deletion and creation, whoever does it.
///
/// The file need not be there yet, nor its folder, nor the folders above; all of them may be
/// deleted, renamed and made anew while the monitor is there:
///
/// ```swift
/// let monitor = FileWriteMonitor(url: settingsFile) { event in
///     print("The settings have been \(event).")
/// }
/// ```
///
/// Watching goes on until the monitor is deallocated or ``cancel()`` is called.
///
/// ## What is told
/// Events that come in quick succession, within some milliseconds, are told as one. None is lost:
/// after the last change of the file `onEvent` is called once more, so that whoever reads the file
/// in it ends with the last contents. An event need not be a change: a file that is written with
/// what it holds already has been ``FileEvent/written``, and one whose folder comes back without it
/// has been ``FileEvent/deleted`` again.
///
/// A path is followed as the system follows it: if it is, or leads through, a symbolic link, the
/// file that the link leads to is watched, and the link too.
///
/// ## What cannot be told
/// The systems tell nothing of writes through mapped memory, of writes by other machines to a file
/// system on the network, and of a file system that is mounted over a folder on the way.
///
/// If the system does not watch the file, for example because the user has used up the watches of
/// inotify, the monitor looks at it twice a second, until the system does: ``watchError`` says why.
/// Two writes are told as one then, and one that leaves the file's size and times as they were is
/// not seen.
public final class FileWriteMonitor: Sendable {
    private let core: FileMonitorCore

    /// Creates a monitor and begins to watch.
    ///
    /// What happens to the file after this has returned is told.
    ///
    /// ## Concurrency
    /// The closure is called on a queue of the monitor's own, under no lock, one call at a time. It
    /// may take its time: other monitors have queues of their own. It may write or delete the file,
    /// which brings another call, and cancel the monitor. A closure that holds the monitor keeps it
    /// alive until it is cancelled.
    ///
    /// - Parameters:
    ///   - url: A file URL; a relative one is resolved now. Any other traps.
    ///   - onEvent: Called after events, with what has happened to the file since the last call.
    ///     Released when the monitor is cancelled or deallocated.
    /// - Complexity: O(*n*), where *n* is the number of folders on the way to the file.
    public convenience init(url: URL, onEvent: @escaping @Sendable (FileEvent) -> Void) {
        self.init(url: url, watching: FileWatches.shared, onEvent: onEvent)
    }

    init(
        url: URL,
        watching: any FileWatching,
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
        core = FileMonitorCore(path: path, watching: watching, onEvent: onEvent)
        core.begin()
    }

    deinit { core.cancel() }

    /// Why the system does not watch the file, so that the monitor looks at it twice a second;
    /// `nil` if the system does.
    ///
    /// It may change with every look: the system is asked again at each.
    public var watchError: FileWatchError? { core.watchError }

    /// Ends the watching.
    ///
    /// After this has returned, on whatever thread, no new call of the closure starts. One that has
    /// started before may still be running: this does not wait for it. Does nothing the second
    /// time.
    ///
    /// ## Concurrency
    /// May be called on any thread, also from inside the closure.
    public func cancel() { core.cancel() }
}
