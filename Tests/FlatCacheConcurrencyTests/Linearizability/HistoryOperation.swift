@testable import FlatCacheTestSupport

/// A call of a history.
indirect enum HistoryOperation: Sendable {
    /// The object on which a call is made.
    enum Access: Sendable {
        /// The batch or snapshot of the enclosing closure, or the cache outside closures.
        case direct
        /// The cache, also inside a batch.
        case cache
        /// A handle that all threads share.
        case handle
        /// A new handle for this call.
        case newHandle
        /// The observations of earlier calls, read after all threads have ended.
        case observations
    }

    /// The outcome of a closure.
    enum Outcome: Sendable {
        case returns
        /// The closure throws an error, which the caller catches.
        case fails
    }

    case get(HistoryKey, Access)
    case contains(HistoryKey)
    case count(HistoryKey.Kind)
    case ids(HistoryKey.Kind)
    case values(HistoryKey.Kind)
    case query(HistoryQueryKey, Access)
    /// Begins to keep a query current, or ends it.
    case keepCurrent(HistoryQueryKey)
    case set(HistoryKey, entry: Int, Access)
    case setAll(HistoryKey.Kind, [(number: Int, entry: Int)])
    case replace(HistoryKey, [Int])
    /// An update that appends an entry.
    case append(HistoryKey, entry: Int, Access, Outcome)
    case remove(HistoryKey, Access)
    case removeKind(HistoryKey.Kind)
    case removeAll
    case batch([HistoryOperation], Outcome)
    /// Begins an observation that lasts until the end, and returns its initial value.
    case observe(HistoryKey)
    /// Reads of one snapshot. Writes in its closure would take effect at other instants than the
    /// snapshot, so there are none.
    case snapshot([HistoryOperation])

    var isRead: Bool {
        switch self {
        case .get, .contains, .count, .ids, .values, .query, .snapshot: true
        default: false
        }
    }

    /// The object on which the call is made, or `.direct` if the operation offers no choice.
    var access: Access {
        switch self {
        case .get(_, let access), .query(_, let access), .set(_, _, let access),
            .append(_, _, let access, _),
            .remove(_, let access):
            access
        default: .direct
        }
    }
}
