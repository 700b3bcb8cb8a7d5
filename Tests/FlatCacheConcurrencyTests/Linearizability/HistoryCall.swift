@testable import FlatCacheTestSupport

/// A call by a thread, with its times and its result.
struct HistoryCall: Sendable {
    var thread: Int
    /// A time before the beginning of the call, on a clock that all threads of a history share.
    var invocation: Int
    /// A time after the return of the call.
    var response: Int
    var operation: HistoryOperation
    var result: HistoryResult
    /// The version that the thread read between invocation and call.
    var versionBefore: UInt64 = 0
    /// The version that the thread read between call and response.
    var versionAfter: UInt64 = 0

    /// A Boolean value that indicates whether the call has certainly committed a change.
    ///
    /// The value is `false` for batches, which may restore the contents they found, and for calls
    /// whose result doesn't show whether a value was stored before.
    var hasSurelyWritten: Bool {
        switch operation {
        case .set, .replace: true
        case .append(_, _, _, .returns): result != .value(nil)
        case .remove(_, .direct): result != .value(nil)
        default: false
        }
    }
}

extension HistoryCall: CustomStringConvertible {
    var description: String {
        "\(invocation)–\(response), thread \(thread): \(operation) → \(result)"
    }
}
