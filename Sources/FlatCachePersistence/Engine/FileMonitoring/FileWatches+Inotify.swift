#if os(Linux) || os(Android)
import Dispatch
import Foundation

/// The watches of all monitors of the process, in one instance of inotify, since the number of
/// instances per user is small.
///
/// The first monitor opens the instance, and the last one closes it.
final class FileWatches: FileWatching, @unchecked Sendable {
    static let shared = FileWatches()

    // Held during system calls, so it isn't a spin lock. No user code is called under it.
    private let lock = NSLock()
    // Both are guarded by `lock`.
    private var instance: InotifyInstance?
    private var table = FileWatchTable<Int32>()
    private let clock: any PersistenceClock

    init(clock: any PersistenceClock = SystemClock()) { self.clock = clock }

    func watch(_ steps: [ResolvedPath.Step], for monitor: FileMonitorCore) -> FileWatchOutcome {
        lock.withLock {
            // `cancel()` marks the monitor first, and then removes its watches under `lock`. A
            // watch that is added after that would remain, so check the mark under `lock`.
            guard !monitor.isCancelled else { return FileWatchOutcome() }
            do throws(FileError) {
                try openInstance(for: steps)
            } catch {
                return FileWatchOutcome(error: error)
            }
            var error: FileError?
            var watches: [Int32: Set<FileInterest>] = [:]
            for step in steps {
                do throws(FileError) {
                    guard let watch = try instance?.addWatch(for: step) else { continue }
                    watches[watch, default: []].insert(step.interest)
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

    private func openInstance(for steps: [ResolvedPath.Step]) throws(FileError) {
        guard instance == nil else { return }
        do throws(FileEntry.Failure) {
            instance = try InotifyInstance(clock: clock) { [weak self] events in
                self?.notifyMonitors(of: events)
            }
        } catch {
            throw FileError.watching(steps.last?.path ?? "/", code: error.errorNumber)
        }
    }

    private func replaceWatches(
        with watches: [Int32: Set<FileInterest>],
        of monitor: FileMonitorCore
    ) -> Bool {
        let (unneeded, hasChanged) = table.replaceWatches(with: watches, of: monitor)
        for watch in unneeded {
            instance?.removeWatch(watch)
        }
        if table.isEmpty {
            instance?.close()
            instance = nil
        }
        return hasChanged
    }

    /// Notifies the monitors of the kernel's events, on the instance's queue.
    private func notifyMonitors(of events: [InotifyEvent]) {
        for event in events {
            let entries = lock.withLock { self.entries(for: event) }
            for entry in entries {
                for case let signal? in entry.interests.map(event.signal(for:)) {
                    entry.monitor.handle(signal)
                }
            }
        }
    }

    private func entries(for event: InotifyEvent) -> [FileWatchTable<Int32>.Entry] {
        if event.isOverflow {
            return table.monitors.map { .init(monitor: $0, interests: [.contents]) }
        }
        return event.isEndOfWatch
            ? table.endWatch(event.watch) : table.entries(for: event.watch)
    }
}
#endif
