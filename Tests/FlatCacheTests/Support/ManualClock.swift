@testable import FlatCache

/// A clock whose time passes only when a test says so.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        func duration(to other: Instant) -> Duration { other.offset - offset }

        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var lastSleeper = 0
    }

    private let state = Guarded(State())

    var now: Instant { state.withLock { $0.now } }

    var minimumResolution: Duration { .zero }

    /// How many tasks sleep.
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let sleeper = Sleeper(deadline: deadline, continuation: continuation)
                let result = state.withLock { begin(sleeper, number, &$0) }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Keeps a sleeper, unless there is a reason not to sleep.
    private func begin(
        _ sleeper: Sleeper,
        _ number: Int,
        _ state: inout State
    ) -> Result<Void, any Error>? {
        // The handler of a cancellation that comes after this finds the sleeper.
        if Task.isCancelled { return .failure(CancellationError()) }
        if sleeper.deadline <= state.now { return .success(()) }
        state.sleepers[number] = sleeper
        return nil
    }

    /// Lets time pass, and wakes whoever has slept until then.
    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }
}
