import FlatCache

/// A clock that a test moves by hand.
///
/// ```swift
/// import FlatCacheTesting
/// import Testing
///
/// @Test func booksExpireAfterAMinute() {
///     let clock = ManualClock()
///     var configuration = CacheConfiguration(clock: clock)
///     configuration.limit(Book.self, .unlimited, expires: .afterWrite(.seconds(60)))
///     let cache = Cache(configuration: configuration)
///     cache.set(Book(id: 1, title: "The Dispossessed"))
///
///     clock.advance(by: .seconds(61))
///     cache.expireValues()
///     #expect(cache.get(Book.self, id: 1) == nil)
/// }
/// ```
///
/// A task that sleeps until an instant of this clock resumes when the clock reaches the instant.
///
/// ## Concurrency
/// All methods may be called on any thread. ``advance(by:)`` resumes sleeping tasks, but doesn't
/// wait until they have run.
public final class ManualClock: Clock, Sendable {
    /// A point in time of a manual clock: the duration since the clock was created.
    public struct Instant: InstantProtocol {
        /// The duration since the clock was created.
        public var offset: Duration

        /// Creates an instant.
        ///
        /// - Parameter offset: The duration since the clock was created.
        public init(offset: Duration) { self.offset = offset }

        /// Returns the instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// Returns the duration from this instant to another one.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Returns a Boolean value that indicates whether one instant is before another one.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
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

    private let state = Locked(State())

    /// Creates a clock at offset zero.
    public init() {}

    /// The current instant.
    public var now: Instant { state.withLock { $0.now } }

    /// Zero: the clock distinguishes any two instants.
    public var minimumResolution: Duration { .zero }

    /// The number of tasks that sleep.
    ///
    /// ```swift
    /// import FlatCacheTesting
    ///
    /// let clock = ManualClock()
    /// let retry = Task { try await clock.sleep(for: .seconds(30)) }
    /// while clock.sleeperCount == 0 { await Task.yield() }
    /// clock.advance(by: .seconds(30))
    /// try await retry.value
    /// ```
    ///
    /// A test reads it to find out whether the code under test is sleeping.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Suspends the task until the clock reaches an instant.
    ///
    /// - Parameters:
    ///   - deadline: The instant at which the task resumes. If it isn't in the future, the call
    ///     returns at once.
    ///   - tolerance: Ignored. The task resumes exactly at the deadline.
    /// - Throws: `CancellationError` if the task is canceled before the deadline.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let sleeper = Sleeper(deadline: deadline, continuation: continuation)
                let result = state.withLock { Self.add(sleeper, number, to: &$0) }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Adds a sleeper, or returns the result of its sleep if that has already ended.
    private static func add(
        _ sleeper: Sleeper,
        _ number: Int,
        to state: inout State
    ) -> Result<Void, any Error>? {
        // If the cancellation comes later, its handler finds the sleeper.
        if Task.isCancelled { return .failure(CancellationError()) }
        if sleeper.deadline <= state.now { return .success(()) }
        state.sleepers[number] = sleeper
        return nil
    }

    /// Moves the clock, and resumes the tasks whose deadline it reaches, in the order of their
    /// deadlines.
    ///
    /// ```swift
    /// import FlatCacheTesting
    ///
    /// let clock = ManualClock()
    /// clock.advance(by: .seconds(90))
    /// print(clock.now.offset)  // 90.0 seconds
    /// ```
    ///
    /// - Parameter duration: The duration by which the clock moves. A negative one moves it back,
    ///   as the user of a device can do to the wall clock.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.sorted { left, right in
                (left.value.deadline, left.key) < (right.value.deadline, right.key)
            }
        }
        for (_, sleeper) in due { sleeper.continuation.resume() }
    }
}
