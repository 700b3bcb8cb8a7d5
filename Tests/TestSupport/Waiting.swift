import Dispatch
import FlatCache
package import Testing

/// The time after which a wait ends without its event, so that a test that hangs fails.
///
/// The whole suite takes less time, so only a test that hangs reaches the limit.
package let hangLimit: Duration = .seconds(600)

/// The time after which a step of a model test fails if the subject still differs from the model.
///
/// Only a defect makes a step take that long. On one processor, all tests that begin at the same
/// time run before the tasks of a step, for more than two minutes beside other programs.
package let modelStepTime: Duration = hangLimit

/// Suspends the task until other threads or tasks make a condition hold.
///
/// The function evaluates the condition at first, and then after each change of state that the
/// condition has read under a lock of this package, such as that of a `Recorder`, a `Signal`, a
/// manual clock, or a cache. It doesn't poll, so a change without such a lock goes unnoticed. If
/// the condition reads no such state and doesn't hold, the function records an issue.
///
/// - Parameters:
///   - limit: The time after which the wait ends although the condition doesn't hold.
///   - evenIfCancelled: If `false`, the wait also ends if the task is cancelled.
///   - condition: The condition.
/// - Returns: A Boolean value that indicates whether the condition holds.
package func until(
    limit: Duration = hangLimit,
    evenIfCancelled: Bool = false,
    isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while true {
        let change = Change()
        let (holds, wait) = try tracking(condition) { change.happen() }
        if holds { return true }
        guard wait.hasRead(at: sourceLocation) else { return false }
        guard evenIfCancelled || !Task.isCancelled, ContinuousClock.now < deadline else {
            return false
        }
        await change.wait(until: deadline, evenIfCancelled: evenIfCancelled)
        wait.cancel()
    }
}

/// Suspends the task until it is cancelled.
package func untilCancelled() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
}

/// Blocks the thread until another thread makes a condition hold.
///
/// See ``until(limit:evenIfCancelled:isolation:sourceLocation:_:)``. Call it only on a thread
/// that the test has started, since tasks need the threads that run tasks.
///
/// - Returns: `true` if the condition holds, and `false` if it doesn't after ``hangLimit``.
package func blockUntil(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
) rethrows -> Bool {
    let deadline = DispatchTime.now() + hangLimit / .seconds(1)
    while true {
        let change = DispatchSemaphore(value: 0)
        let (holds, wait) = try tracking(condition) { change.signal() }
        defer { wait.cancel() }
        if holds { return true }
        guard wait.hasRead(at: sourceLocation) else { return false }
        if change.wait(timeout: deadline) == .timedOut { return try condition() }
    }
}

#if TestHooks
/// Evaluates a condition, and calls a closure after the next change of state that it has read.
private func tracking<Failure: Error>(
    _ condition: () throws(Failure) -> Bool,
    onChange: @escaping @Sendable () -> Void
) throws(Failure) -> (holds: Bool, wait: StateTracking.Wait) {
    let (holds, wait) = try StateTracking.withTracking(condition, onChange: onChange)
    if holds { wait.cancel() }
    return (holds, wait)
}

extension StateTracking.Wait {
    /// Returns whether the condition has read state under a lock, and records an issue otherwise.
    fileprivate func hasRead(at sourceLocation: SourceLocation) -> Bool {
        if hasRead { return true }
        Issue.record(
            """
            The condition doesn't hold, and reads no state under a lock of FlatCache, so the wait \
            would never end. Wait for an event instead, such as that of a Signal.
            """,
            sourceLocation: sourceLocation
        )
        return false
    }
}
#else
/// A stand-in for `StateTracking.Wait` in builds without the define `TestHooks`.
private struct MissingWait {
    func cancel() {}

    func hasRead(at sourceLocation: SourceLocation) -> Bool { false }
}

private func tracking<Failure: Error>(
    _ condition: () throws(Failure) -> Bool,
    onChange: @escaping @Sendable () -> Void
) throws(Failure) -> (holds: Bool, wait: MissingWait) {
    preconditionFailure("Optimized tests need the define: add -Xswiftc -DTestHooks.")
}
#endif

/// A change for which a task waits.
private final class Change: Sendable {
    private enum State {
        case pending
        case awaited(UnsafeContinuation<Void, Never>)
        case over
    }

    private let state = Locked(State.pending)

    /// Ends the wait.
    func happen() {
        let continuation = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            defer { state = .over }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume()
    }

    /// Suspends the task until the change has happened, the task is cancelled, or an instant.
    func wait(until deadline: ContinuousClock.Instant, evenIfCancelled: Bool) async {
        let remaining = ContinuousClock.now.duration(to: deadline) / .seconds(1)
        let limit = DispatchWorkItem { [weak self] in self?.happen() }
        DispatchQueue.global().asyncAfter(deadline: .now() + max(0, remaining), execute: limit)
        defer { limit.cancel() }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isOver = state.withLock { state in
                    if case .over = state { return true }
                    state = .awaited(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            if !evenIfCancelled { happen() }
        }
    }
}

/// Suspends the task until another process, or the file system, makes a condition hold.
///
/// Nothing in this process announces such a change, so the function looks again after each
/// millisecond. For state of this process, use
/// ``until(limit:evenIfCancelled:isolation:sourceLocation:_:)``.
///
/// - Parameters:
///   - reason: What changes the state, for the reader of the test.
///   - condition: The condition.
/// - Returns: A Boolean value that indicates whether the condition holds, which it may not if the
///   task is cancelled or after ``hangLimit``.
package func pollUntil(
    _ reason: StaticString,
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + hangLimit
    while try await !condition() {
        guard !Task.isCancelled, ContinuousClock.now < deadline else { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}
