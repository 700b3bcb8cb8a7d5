@testable import FlatCache
@testable import FlatCachePersistence

/// A system that watches nothing, with or without an error.
final class SilentWatching: FileWatching {
    let error: Locked<FileError?>

    init(_ error: FileError?) { self.error = Locked(error) }

    func watch(_ steps: [ResolvedPath.Step], for monitor: FileMonitorCore) -> FileWatchOutcome {
        FileWatchOutcome(error: error.withLock { $0 })
    }

    func endWatching(for monitor: FileMonitorCore) {}
}
