/// Sleeps until the next value of a cache expires.
///
/// One task at a time, none while nothing can expire.
final class ExpirationTimer: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// When the task wakes.
        var time = Time.max
        var hasEnded = false
    }

    private let timeline: any Timeline
    private let state = Guarded(State())

    init(_ timeline: any Timeline) { self.timeline = timeline }

    /// What expires within so many nanoseconds is waited for once.
    private static let grain: Time = 10_000_000

    /// Has a closure called at a time, unless one will be called earlier.
    ///
    /// - Parameters:
    ///   - time: When something is due.
    ///   - forget: Called if the clock does not let the timer sleep, so that it won't wake.
    ///   - body: Called at the time, on a task of its own.
    func wake(
        at time: Time,
        forget: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable () async -> Void
    ) {
        let grain = Self.grain
        let rounded = time > .max - grain ? Time.max - 1 : max(0, (time / grain + 1) * grain)
        let replaced = state.withLock { state -> Task<Void, Never>? in
            guard rounded < state.time, !state.hasEnded else { return nil }
            let replaced = state.task
            state.time = rounded
            state.task = Task.detached { [self] in
                do {
                    try await timeline.sleep(until: rounded)
                } catch {
                    // Replaced, or the clock has refused: then whoever writes next tries again.
                    if begin(rounded) { forget() }
                    return
                }
                guard begin(rounded) else { return }
                await body()
            }
            return replaced
        }
        replaced?.cancel()
    }

    /// Notes that a task has woken; returns whether it is still the one that is waited for.
    private func begin(_ time: Time) -> Bool {
        state.withLock { state in
            guard state.time == time, !state.hasEnded else { return false }
            state.task = nil
            state.time = .max
            return true
        }
    }

    /// Ends the timer: nothing more is called.
    func end() {
        let task = state.withLock { state in
            defer { state.task = nil }
            state.hasEnded = true
            return state.task
        }
        task?.cancel()
    }
}
