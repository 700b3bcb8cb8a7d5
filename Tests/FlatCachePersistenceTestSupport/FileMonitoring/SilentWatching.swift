@testable import FlatCache
@testable import FlatCachePersistence

/// A system that watches nothing, with or without an error.
final class SilentWatching: FileWatching {
    let error: Locked<FileWatchError?>

    init(_ error: FileWatchError?) { self.error = Locked(error) }

    func watch(_ steps: [ResolvedPath.Step], for monitor: FileMonitorCore) -> FileWatchOutcome {
        FileWatchOutcome(error: error.withLock { $0 })
    }

    func endWatching(for monitor: FileMonitorCore) {}
}
