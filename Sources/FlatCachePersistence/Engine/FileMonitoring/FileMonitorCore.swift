import Dispatch
import FlatCache

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// The state of a monitor that its queue and the watches refer to.
///
/// It is separate from the monitor, so that the monitor can be deallocated while these refer to it.
final class FileMonitorCore: @unchecked Sendable {
    private struct State {
        var file = FileMonitorState()
        /// `nil` after the monitor has been canceled.
        var onEvent: (@Sendable (FileEvent) -> Void)?
        var watchError: FileWatchError?
    }

    private let path: String
    private let watching: any FileWatching
    // Runs looks and calls, one at a time. A queue is thread-safe, though not every platform
    // declares it `Sendable`.
    private let queue: DispatchQueue
    private let state: Locked<State>

    /// The number of times that the route may change during a look, before the look is repeated
    /// later.
    private static var maximumAttemptCount: Int { 8 }

    /// Creates a core that doesn't watch yet.
    init(
        path: String,
        watching: any FileWatching,
        onEvent: @escaping @Sendable (FileEvent) -> Void
    ) {
        self.path = path
        self.watching = watching
        // The queue is inactive until the creating thread has taken the first look.
        queue = DispatchQueue(label: "FlatCache.FileWriteMonitor", attributes: .initiallyInactive)
        state = Locked(State(onEvent: onEvent))
    }

    /// The reason why the system can't watch the whole route, or `nil` if it can.
    var watchError: FileWatchError? { state.withLock { $0.watchError } }

    /// A Boolean value that indicates whether the monitor has been canceled.
    var isCancelled: Bool { state.withLock { $0.onEvent == nil } }

    /// Takes the first look, and starts to report events.
    ///
    /// This method must be called exactly once.
    func begin() {
        let found = look()
        _ = state.withLock { $0.file.endLook(found) }
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

    /// Notes a sign of a change, and schedules a look.
    ///
    /// This method may be called on any thread, also under the lock of the watches.
    func note(_ sign: FileSign) {
        arrange { $0.note(sign, at: $1) }
    }

    private func arrange(_ decide: (inout FileMonitorState, _ now: UInt64) -> UInt64?) {
        let now = DispatchTime.now().uptimeNanoseconds
        let deadline: UInt64? = state.withLock { state in
            state.onEvent == nil ? nil : decide(&state.file, now)
        }
        guard let deadline else { return }
        queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: deadline)) { [weak self] in
            self?.lookAndTell(arrangedFor: deadline)
        }
    }

    private func lookAndTell(arrangedFor deadline: UInt64) {
        let isDue = state.withLock { state in
            state.onEvent != nil && state.file.beginLook(arrangedFor: deadline)
        }
        guard isDue else { return }
        let found = look()
        let (event, onEvent) = state.withLock { ($0.file.endLook(found), $0.onEvent) }
        if let event, let onEvent { onEvent(event) }
    }

    /// Watches the current route to the file, and then looks at the file, so that a watch sees
    /// every change after the look.
    private func look() -> FileLook {
        var route = FileRoute(to: path)
        var attemptCount = 0
        while true {
            // A replaced watch may have reported an event that no monitor processes any more.
            let isElsewhere = watching.watch(route.steps, for: self).hasChanged
            if isElsewhere { state.withLock { $0.file.noteDetourDuringLook() } }
            let newRoute = FileRoute(to: path)
            if newRoute == route {
                // The folders exist before and after the watches were added, but may have been
                // absent in between. So the watches are added once more, and must be the same.
                let outcome = watching.watch(route.steps, for: self)
                let found = FileLook(atPath: path)
                let isOutdated = route.reachesFile && found == .missing
                if !outcome.hasChanged, !isOutdated {
                    noteWatchError(outcome.error ?? obstacle(on: route, to: found))
                    return found
                }
            }
            route = newRoute
            attemptCount += 1
            guard attemptCount < Self.maximumAttemptCount else {
                // The watches may not cover the whole route, so the next look can't wait for one.
                note(.detour)
                return FileLook(atPath: path)
            }
        }
    }

    private func obstacle(on route: FileRoute, to found: FileLook) -> FileWatchError? {
        if let errorNumber = route.obstacle {
            return FileWatchError(path: path, errorNumber: errorNumber)
        }
        // Only the system can follow links whose target differs from their text, such as those in
        // /proc. (The file may also have been created just now.)
        guard case .found = found, !route.reachesFile else { return nil }
        return FileWatchError(path: path, errorNumber: ENOENT)
    }

    private func noteWatchError(_ error: FileWatchError?) {
        state.withLock { $0.watchError = error }
        if error != nil { arrange { $0.poll(at: $1) } }
    }
}
