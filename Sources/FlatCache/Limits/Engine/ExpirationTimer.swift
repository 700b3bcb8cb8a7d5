/// A timer that wakes the cache when its next value expires.
///
/// One task sleeps at a time, and none while no value can expire.
final class ExpirationTimer: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// The time at which the task wakes.
        var time = Time.max
        var hasEnded = false
    }

    private let timeline: any Timeline
    private let state = Locked(State())

    init(_ timeline: any Timeline) { self.timeline = timeline }

    /// The granularity of wake-ups, in nanoseconds.
    ///
    /// Values that expire in the same interval share one wake-up.
    private static let grain: Int64 = 10_000_000

    private static func endOfInterval(at time: Time) -> Time {
        if time.nanoseconds > .max - grain { return Time(nanoseconds: .max - 1) }
        return max(.start, Time(nanoseconds: (time.nanoseconds / grain + 1) * grain))
    }

    /// Schedules a closure for a time, unless an earlier wake-up is already scheduled.
    ///
    /// - Parameters:
    ///   - time: The time at which a value is due.
    ///   - forget: A closure that is called if the clock fails to sleep, so that the timer doesn't
    ///     wake.
    ///   - body: A closure that is called at the time, on a separate task.
    func wake(
        at time: Time,
        forget: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable () async -> Void
    ) {
        let rounded = Self.endOfInterval(at: time)
        let replaced = state.withLock { state -> Task<Void, Never>? in
            guard rounded < state.time, !state.hasEnded else { return nil }
            let replaced = state.task
            state.time = rounded
            state.task = Task.detached { [self] in
                do {
                    try await timeline.sleep(until: rounded)
                } catch {
                    // The task was replaced, or the clock failed. After a failure, the next write
                    // tries again.
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

    /// Ends the wait for a time; returns `false` if the timer waits for another time or has ended.
    private func begin(_ time: Time) -> Bool {
        state.withLock { state in
            guard state.time == time, !state.hasEnded else { return false }
            state.task = nil
            state.time = .max
            return true
        }
    }

    /// Ends the timer, so that it calls no closure afterwards.
    func end() {
        let task = state.withLock { state in
            defer { state.task = nil }
            state.hasEnded = true
            return state.task
        }
        task?.cancel()
    }
}
