internal import Synchronization

/// Runs at most one operation at a time for each key, and gives its result to all callers.
///
/// The first caller starts the operation. Callers that arrive while it runs wait for its result
/// instead of starting another one. The operation runs in a task of its own, so that it belongs to
/// no single caller: a caller's cancellation ends only that caller's wait. The last caller to leave
/// cancels the operation. A later caller then starts a new one, even if the cancelled operation
/// hasn't returned yet.
///
/// An operation that publishes its output claims the call before. If all callers have left by then,
/// the claim fails, and the operation must publish nothing. After a claim, a caller that leaves
/// doesn't cancel the operation, and a later caller still gets its output. So an output is
/// published only if no other operation has been started in the meantime.
///
/// Results aren't remembered. After the operation has ended, with an output or an error, the next
/// caller starts a new one.
@usableFromInline
package final class SingleFlight<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Output, any Error>

    /// An operation that runs, and the callers that wait for it.
    private struct Call {
        let number: UInt64
        /// The operation's task, or `nil` while the first caller is creating it.
        var task: Task<Void, Never>?
        /// The waiting callers by their numbers; never empty unless the call is claimed.
        var waiters: [UInt64: Waiter]
        /// A Boolean value that indicates whether the operation has begun to publish its output.
        var isClaimed = false
    }

    /// The role in which a caller has joined.
    private enum Role {
        case starter(callNumber: UInt64)
        case waiter
        case cancelled
    }

    private let calls = Locked<[Key: Call]>([:])
    private let lastNumber = Atomic<UInt64>(0)

    @usableFromInline
    package init() {}

    /// Returns the output of the operation that runs for a key, or starts an operation.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - operation: The operation to start if none runs for the key. Its argument claims the
    ///     call, and returns `false` if all callers have left. The operation inherits the priority
    ///     and the task-local values of the caller that starts it. An operation that waits for its
    ///     own key never ends.
    /// - Returns: The output that all callers share.
    /// - Throws: The error of the operation, which all callers share, even if it is a
    ///   `CancellationError`; or `CancellationError` if the calling task is cancelled.
    @usableFromInline
    package func output(
        for key: Key,
        of operation: @escaping @Sendable (_ claim: @Sendable () -> Bool) async throws -> Output
    ) async throws -> Output {
        let number = nextNumber()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                switch join(key, waiter, number) {
                case .starter(let callNumber): start(operation, for: key, callNumber: callNumber)
                case .waiter: break
                case .cancelled: waiter.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            leave(key, number)
        }
    }

    /// A Boolean value that indicates whether no operation has callers or is claimed.
    package var isIdle: Bool { calls.withLock { $0.isEmpty } }

    /// Returns the number of callers that wait for a key.
    package func waiterCount(for key: Key) -> Int {
        calls.withLock { $0[key]?.waiters.count ?? 0 }
    }

    private func nextNumber() -> UInt64 {
        lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }

    private func join(_ key: Key, _ waiter: Waiter, _ number: UInt64) -> Role {
        calls.withLock { calls in
            // A cancellation either is visible here, or calls `leave` after this caller has joined.
            if Task.isCancelled { return .cancelled }
            if calls[key] != nil {
                calls[key]?.waiters[number] = waiter
                return .waiter
            }
            // Callers and calls take their numbers from one counter, so a call can have the number
            // of its first caller.
            calls[key] = Call(number: number, waiters: [number: waiter])
            return .starter(callNumber: number)
        }
    }

    private func start(
        _ operation: @escaping @Sendable (_ claim: @Sendable () -> Bool) async throws -> Output,
        for key: Key,
        callNumber: UInt64
    ) {
        let task = Task {
            do {
                let output = try await operation { self.claim(key, callNumber) }
                end(key, callNumber, .success(output))
            } catch {
                end(key, callNumber, .failure(error))
            }
        }
        let isRunning = calls.withLock { calls in
            guard calls[key]?.number == callNumber else { return false }
            calls[key]?.task = task
            return true
        }
        // All callers have left before the task could be stored, or the task has ended.
        if !isRunning { task.cancel() }
    }

    private func leave(_ key: Key, _ number: UInt64) {
        let (waiter, task) = calls.withLock { calls -> (Waiter?, Task<Void, Never>?) in
            let waiter = calls[key]?.waiters.removeValue(forKey: number)
            guard waiter != nil, let call = calls[key], call.waiters.isEmpty, !call.isClaimed else {
                return (waiter, nil)
            }
            return (waiter, calls.removeValue(forKey: key)?.task)
        }
        task?.cancel()
        waiter?.resume(throwing: CancellationError())
    }

    private func claim(_ key: Key, _ callNumber: UInt64) -> Bool {
        calls.withLock { calls in
            guard calls[key]?.number == callNumber else { return false }
            calls[key]?.isClaimed = true
            return true
        }
    }

    private func end(_ key: Key, _ callNumber: UInt64, _ result: Result<Output, any Error>) {
        let waiters = calls.withLock { calls in
            // After all callers have left, the key may belong to another call.
            calls[key]?.number == callNumber ? calls.removeValue(forKey: key)?.waiters : nil
        }
        for waiter in (waiters ?? [:]).values { waiter.resume(with: result) }
    }
}
