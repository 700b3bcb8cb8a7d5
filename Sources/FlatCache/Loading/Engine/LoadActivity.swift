extension LoadProgress {
    /// An activity of a handle, with the number that its end refers to.
    enum Activity: Equatable {
        case load(UInt64)
        case pause(UInt64, until: Time)

        var number: UInt64 {
            switch self {
            case .load(let number), .pause(let number, _): number
            }
        }
    }

    struct Answer {
        /// `true` if the answer's value meets the requirement, or `nil` if there's no value.
        var isWhole: Bool?
        /// The write that has kept the answer from being stored as it is.
        var conflict: WriteKind?
    }

    struct StoredState {
        /// The version of the state, or an earlier one.
        var version: UInt64
        /// `true` if the value meets the requirement, or `nil` if there's no value.
        var isWhole: Bool?
        var isStale: Bool
        /// `true` if the latest whole value is stale, while the stored one may be fresh.
        var isWholeValueStale = false
        /// `true` if the value is stale, but wasn't when it was stored.
        var becameStale = false
        /// `true` if the value was stored after the load had begun.
        var isNew = false
    }
}
