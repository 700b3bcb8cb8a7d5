import Dispatch
import FlatCache
import Foundation

/// The state of a monitor that its queue and the watches refer to.
///
/// It is separate from the monitor, so that the monitor can be deallocated while these refer to it.
final class FileMonitorCore: @unchecked Sendable {
    private struct State {
        var file = FileMonitorState()
        /// `nil` after the monitor has been canceled.
        var onEvent: (@Sendable (FileEvent) -> Void)?
        var watchError: FileError?
    }

    private let path: String
    private let watching: any FileWatching
    private let clock: any PersistenceClock
    // Runs checks and calls, one at a time. A queue is thread-safe, though not every platform
    // declares it `Sendable`.
    private let queue: DispatchQueue
    private let state: Locked<State>

    /// The number of times that the path may change during a check, before another check is
    /// scheduled.
    private static var maximumAttemptCount: Int { 8 }

    /// Creates a core that doesn't watch yet.
    init(
        path: String,
        watching: any FileWatching,
        clock: any PersistenceClock,
        onEvent: @escaping @Sendable (FileEvent) -> Void
    ) {
        self.path = path
        self.watching = watching
        self.clock = clock
        // The queue is inactive until the creating thread has made the first check.
        queue = DispatchQueue(label: "FlatCache.FileWriteMonitor", attributes: .initiallyInactive)
        state = Locked(State(onEvent: onEvent))
    }

    /// The reason why the system can't watch the whole path, or `nil` if it can.
    var watchError: FileError? { state.withLock { $0.watchError } }

    var isCancelled: Bool { state.withLock { $0.onEvent == nil } }

    /// Makes the first check, and starts to report events.
    ///
    /// This method must be called exactly once.
    func begin() {
        let found = check()
        _ = state.withLock { $0.file.endCheck(found) }
        queue.activate()
    }

    /// Stops watching.
    ///
    /// This method may be called on any thread, and several times.
    func cancel() {
        let last = state.withLock { state in
            defer { state.onEvent = nil }
            return state
        }
        guard last.onEvent != nil else { return }
        watching.endWatching(for: self)
    }

    /// Handles a signal by scheduling a check.
    ///
    /// This method may be called on any thread, even under the lock of the watches.
    func handle(_ signal: FileSignal) {
        schedule { $0.record(signal, at: $1) }
    }

    /// Schedules a check at the time that a closure returns, if any.
    private func schedule(_ decide: (inout FileMonitorState, _ now: Duration) -> Duration?) {
        let now = clock.elapsed
        let deadline: Duration? = state.withLock { state in
            state.onEvent == nil ? nil : decide(&state.file, now)
        }
        guard let deadline else { return }
        clock.run(at: deadline, on: queue) { [weak self] in
            self?.checkAndReport(scheduledFor: deadline)
        }
    }

    private func checkAndReport(scheduledFor deadline: Duration) {
        let isDue = state.withLock { state in
            state.onEvent != nil && state.file.beginCheck(scheduledFor: deadline)
        }
        guard isDue else { return }
        #if TestHooks
        Perturbation.perturb()
        #endif
        let found = check()
        let (event, onEvent) = state.withLock { ($0.file.endCheck(found), $0.onEvent) }
        if let event, let onEvent { onEvent(event) }
    }

    /// Watches the current path of the file, and then returns the status of the file, so that a
    /// watch reports every later change.
    private func check() -> FileStatus {
        var resolved = ResolvedPath(to: path)
        var attemptCount = 0
        while true {
            // An event of a watch that has just been replaced may have reached no monitor.
            let hasChanged = watching.watch(resolved.steps, for: self).hasChanged
            if hasChanged { state.withLock { $0.file.recordPathChangeDuringCheck() } }
            let resolvedAgain = ResolvedPath(to: path)
            if resolvedAgain == resolved {
                // The folders existed before and after the watches were added, but may have been
                // absent in between. So the watches are added once more, and must be the same.
                let outcome = watching.watch(resolved.steps, for: self)
                #if TestHooks
                Perturbation.perturb()
                #endif
                let found = FileStatus(atPath: path)
                let isOutdated = resolved.reachesFile && found == .missing
                if !outcome.hasChanged, !isOutdated {
                    setWatchError(outcome.error ?? obstacle(on: resolved, to: found))
                    return found
                }
            }
            resolved = resolvedAgain
            attemptCount += 1
            guard attemptCount < Self.maximumAttemptCount else {
                // The watches may not cover the whole path, so the next check can't wait for a
                // signal.
                handle(.pathChange)
                return FileStatus(atPath: path)
            }
        }
    }

    private func obstacle(on resolved: ResolvedPath, to found: FileStatus) -> FileError? {
        if let errorNumber = resolved.obstacle {
            return FileError.watching(path, code: errorNumber)
        }
        // Only the system can follow links whose target differs from their text, such as those in
        // /proc. (The file may also have been created just now.)
        guard case .found = found, !resolved.reachesFile else { return nil }
        return FileError.watching(path, code: ENOENT)
    }

    private func setWatchError(_ error: FileError?) {
        state.withLock { $0.watchError = error }
        if error != nil { schedule { $0.poll(at: $1) } }
    }
}
