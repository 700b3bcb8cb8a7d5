/// A call that a thread has made, when, and what it has shown.
struct HistoryCall: Sendable {
    var thread: Int
    /// When it had not begun yet, on a clock that all threads of a history share.
    var invocation: Int
    /// When it had returned.
    var response: Int
    var operation: HistoryOperation
    var result: HistoryResult
    /// What the thread read as the version between invocation and call.
    var versionBefore: UInt64 = 0
    /// What the thread read as the version between call and response.
    var versionAfter: UInt64 = 0

    /// Whether the call has surely committed a change.
    ///
    /// Batches are left out, since one may end as it began, and what does not tell what it found.
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
