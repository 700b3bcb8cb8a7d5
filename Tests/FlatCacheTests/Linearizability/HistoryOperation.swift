/// A call of a history.
indirect enum HistoryOperation: Sendable {
    /// What a call is made on.
    enum Door: Sendable {
        /// What the closure around the call was given: a batch or a snapshot; the cache if there is
        /// none.
        case direct
        /// The cache, also inside a batch.
        case cache
        /// A handle that all threads use.
        case handle
        /// A handle of the call's own.
        case newHandle
        /// The observations of earlier calls, when all threads have ended.
        case observations
    }

    /// How a closure ends.
    enum Outcome: Sendable {
        case returns
        /// It throws an error, which is caught where the call is made.
        case fails
    }

    case get(HistoryKey, Door)
    case contains(HistoryKey)
    case count(HistoryKey.Kind)
    case ids(HistoryKey.Kind)
    case values(HistoryKey.Kind)
    case set(HistoryKey, entry: Int, Door)
    case setAll(HistoryKey.Kind, [(number: Int, entry: Int)])
    case replace(HistoryKey, [Int])
    /// An update that adds an entry.
    case append(HistoryKey, entry: Int, Door, Outcome)
    case remove(HistoryKey, Door)
    case removeKind(HistoryKey.Kind)
    case removeAll
    case batch([HistoryOperation], Outcome)
    /// Begins an observation, which goes on, and shows its initial value.
    case observe(HistoryKey)
    /// Reads alone: other calls in a snapshot's closure would take effect at moments of their own.
    case snapshot([HistoryOperation])

    var isRead: Bool {
        switch self {
        case .get, .contains, .count, .ids, .values, .snapshot: true
        default: false
        }
    }

    /// What the call is made on; `.direct` where there is no choice.
    var door: Door {
        switch self {
        case .get(_, let door), .set(_, _, let door), .append(_, _, let door, _),
            .remove(_, let door):
            door
        default: .direct
        }
    }
}
