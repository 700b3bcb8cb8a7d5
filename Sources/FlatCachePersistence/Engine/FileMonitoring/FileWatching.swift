/// The watches of all monitors of the process, with an implementation for each system.
protocol FileWatching: Sendable {
    /// Replaces the watches of a monitor by watches of the steps of a path.
    ///
    /// After this call returns, events call the monitor's ``FileMonitorCore/handle(_:)``, unless
    /// the monitor has been canceled before.
    ///
    /// - Returns: The outcome. Its error is the system's refusal to watch a step. A missing entry
    ///   isn't an error, because the monitor finds it when it next resolves the path.
    func watch(_ steps: [ResolvedPath.Step], for monitor: FileMonitorCore) -> FileWatchOutcome

    /// Removes all watches of a monitor.
    func endWatching(for monitor: FileMonitorCore)
}

/// The result of replacing a monitor's watches.
struct FileWatchOutcome: Sendable {
    /// `true` if the watches differ from the previous ones.
    var hasChanged = false
    /// The reason why a step can't be watched.
    var error: FileError?
}
