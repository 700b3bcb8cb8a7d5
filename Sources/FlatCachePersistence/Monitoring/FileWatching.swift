/// Watches folders and files for all monitors of the process, by whatever the system has for it.
protocol FileWatching: Sendable {
    /// Watches what is on the way to a monitor's file, in the place of what has been watched for
    /// it.
    ///
    /// From when this returns on, the monitor is told of what happens there, by
    /// ``FileMonitorCore/note(_:)``; unless it has been cancelled before.
    ///
    /// - Returns: Whether something else is watched than before, and why some of it is not, if the
    ///   system refuses. That something on the way has gone in the meantime is no reason: whoever
    ///   looks at the way again sees that.
    func watch(_ steps: [FileRoute.Step], for monitor: FileMonitorCore) -> FileWatchOutcome

    /// Watches nothing for a monitor any more.
    func endWatching(for monitor: FileMonitorCore)
}

/// What has come of watching.
struct FileWatchOutcome: Sendable {
    /// Whether something else is watched than before.
    var hasChanged = false
    /// Why some of it is not watched.
    var error: FileWatchError?
}
