import Foundation

/// The watches of all monitors of the process, shared by the monitors that need them.
///
/// The system's part is a `FileWatchSystem`, with an implementation for each system.
final class FileWatches: FileWatching, @unchecked Sendable {
    static let shared = FileWatches()

    // Held during system calls, so it isn't a spin lock. No user code is called under it.
    private let lock = NSLock()
    // Both are guarded by `lock`.
    private var system: FileWatchSystem
    private var table = FileWatchTable<FileWatchSystem.Watch>()

    init(clock: any PersistenceClock = SystemClock()) {
        system = FileWatchSystem(clock: clock)
    }

    func watch(_ steps: [ResolvedPath.Step], for monitor: FileMonitorCore) -> FileWatchOutcome {
        lock.withLock {
            // `cancel()` marks the monitor first, and then removes its watches under `lock`. A
            // watch that is added after that would remain, so check the mark under `lock`.
            guard !monitor.isCancelled else { return FileWatchOutcome() }
            var error: FileError?
            var watches: [FileWatchSystem.Watch: Set<FileInterest>] = [:]
            for step in steps {
                do throws(FileError) {
                    let watch = try system.addWatch(for: step) { [weak self] in
                        self?.notifyMonitors(of: $0)
                    }
                    if let watch { watches[watch, default: []].insert(step.interest) }
                } catch let failure {
                    error = error ?? failure
                }
            }
            let hasChanged = replaceWatches(with: watches, of: monitor)
            return FileWatchOutcome(hasChanged: hasChanged, error: error)
        }
    }

    func endWatching(for monitor: FileMonitorCore) {
        lock.withLock { _ = replaceWatches(with: [:], of: monitor) }
    }

    private func replaceWatches(
        with watches: [FileWatchSystem.Watch: Set<FileInterest>],
        of monitor: FileMonitorCore
    ) -> Bool {
        let (unneeded, hasChanged) = table.replaceWatches(with: watches, of: monitor)
        for watch in unneeded { system.removeWatch(watch) }
        if table.isEmpty { system.close() }
        return hasChanged
    }

    /// Notifies the monitors of the system's events, on the queue of the system's part.
    private func notifyMonitors(of events: [FileWatchSystem.Event]) {
        for event in events {
            let entries = lock.withLock { table.entries(for: event) }
            for entry in entries {
                for case let signal? in entry.interests.map(event.signal(for:)) {
                    entry.monitor.handle(signal)
                }
            }
        }
    }
}
