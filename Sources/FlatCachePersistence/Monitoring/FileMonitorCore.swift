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

/// The part of a monitor that its queue and the watches know, so that the monitor itself can go.
final class FileMonitorCore: @unchecked Sendable {
    private struct State {
        var file = FileMonitorState()
        /// `nil` when the monitor has been cancelled.
        var onEvent: (@Sendable (FileEvent) -> Void)?
        var watchError: FileWatchError?
    }

    private let path: String
    private let watching: any FileWatching
    // Safe by itself, though not on every platform declared so. Runs looks and calls, one at a
    // time.
    private let queue: DispatchQueue
    private let state: Guarded<State>

    /// How many times the way to a file may change under a look, before it is left for another one.
    private static var maximumAttemptCount: Int { 8 }

    /// Creates a core that has not begun.
    init(
        path: String,
        watching: any FileWatching,
        onEvent: @escaping @Sendable (FileEvent) -> Void
    ) {
        self.path = path
        self.watching = watching
        // Inactive until the first look has been taken, on the creator's thread.
        queue = DispatchQueue(label: "FlatCache.FileWriteMonitor", attributes: .initiallyInactive)
        state = Guarded(State(onEvent: onEvent))
    }

    /// Why the system does not watch all there is to watch; `nil` if it does.
    var watchError: FileWatchError? { state.withLock { $0.watchError } }

    /// Whether the end has come.
    var isCancelled: Bool { state.withLock { $0.onEvent == nil } }

    /// Takes the first look, after which everything is told; to be called once.
    func begin() {
        let found = look()
        _ = state.withLock { $0.file.endLook(found) }
        queue.activate()
    }

    /// Ends the watching; may be called on any thread, and several times.
    func cancel() {
        let last = state.withLock { state in
            defer { state.onEvent = nil }
            return state
        }
        guard last.onEvent != nil else { return }
        watching.endWatching(for: self)
    }

    /// Notes that something has happened, and looks what it is, soon.
    ///
    /// Called on any thread, also under the lock of the watches.
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

    /// Watches the way to the file as it is now, then looks at the file: whatever happens after the
    /// look is seen by a watch.
    private func look() -> FileLook {
        var route = FileRoute(to: path)
        var attemptCount = 0
        while true {
            // What was watched may have told of something that nobody asks for any more.
            let isElsewhere = watching.watch(route.steps, for: self).hasChanged
            if isElsewhere { state.withLock { $0.file.noteDetourDuringLook() } }
            let newRoute = FileRoute(to: path)
            if newRoute == route {
                // Folders that were there before and after need not have been there in between, when
                // they were watched. So it is done once more, and has to come to the same.
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
                // Not watched to the end, so the next look must not wait for a watch to tell.
                note(.detour)
                return FileLook(atPath: path)
            }
        }
    }

    private func obstacle(on route: FileRoute, to found: FileLook) -> FileWatchError? {
        if let errorNumber = route.obstacle {
            return FileWatchError(path: path, errorNumber: errorNumber)
        }
        // Links that lead where their text does not say, as those in /proc, are followed by the
        // system only. (It may also be that the file has just come.)
        guard case .found = found, !route.reachesFile else { return nil }
        return FileWatchError(path: path, errorNumber: ENOENT)
    }

    private func noteWatchError(_ error: FileWatchError?) {
        state.withLock { $0.watchError = error }
        if error != nil { arrange { $0.poll(at: $1) } }
    }
}
