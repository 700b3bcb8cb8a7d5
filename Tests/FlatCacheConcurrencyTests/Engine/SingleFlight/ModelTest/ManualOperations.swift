@testable import FlatCache
@testable import FlatCacheTestSupport

/// The operations of a single flight, which the test ends by hand.
///
/// They ignore cancellation.
final class ManualOperations: Sendable {
    struct Failure: Error {
        let number: UInt64
    }

    private struct Operation {
        let call: FlightCall<Int, Int>
        let continuation: UnsafeContinuation<[Int: Int], any Error>
    }

    private let operations = Locked<[UInt64: Operation]>([:])
    /// The numbers of the calls that were abandoned after their operation had begun.
    let abandonments = Recorder<UInt64>()
    /// The numbers of the calls that were already abandoned when their operation asked again.
    let lateAbandonments = Recorder<UInt64>()

    /// The keys of the operations that haven't returned, by the numbers of their calls.
    var keys: [UInt64: [Int]] { operations.withLock { $0.mapValues(\.call.keys) } }

    func run(_ call: FlightCall<Int, Int>) async throws -> [Int: Int] {
        call.onAbandonment { [abandonments] in abandonments.append(call.number) }
        return try await withUnsafeThrowingContinuation { continuation in
            let operation = Operation(call: call, continuation: continuation)
            operations.withLock { $0[call.number] = operation }
        }
    }

    func claim(_ number: UInt64) -> Bool {
        operations.withLock { $0[number]?.call }?.claim() ?? false
    }

    /// Asks for the notification of a call's abandonment again, which replaces the former closure.
    func watchAgain(_ number: UInt64) {
        guard let call = operations.withLock({ $0[number]?.call }) else { return }
        let isLate = Locked(true)
        call.onAbandonment { [abandonments, lateAbandonments] in
            (isLate.withLock { $0 } ? lateAbandonments : abandonments).append(number)
        }
        isLate.withLock { $0 = false }
    }

    /// Ends an operation with outputs, or with an error if there are none.
    func end(_ number: UInt64, _ outputs: [Int: Int]?) {
        let operation = operations.withLock { $0.removeValue(forKey: number) }
        if let outputs {
            operation?.continuation.resume(returning: outputs)
        } else {
            operation?.continuation.resume(throwing: Failure(number: number))
        }
    }
}
