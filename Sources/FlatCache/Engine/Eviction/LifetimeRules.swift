/// The rules by which the values of a table become stale and expire, with lifetimes in nanoseconds.
@usableFromInline
struct LifetimeRules: Sendable {
    /// The rule by which values become stale.
    enum Staleness: Sendable {
        case never
        case afterWrite(Int64)
        /// Each value has a time of its own, or stays fresh.
        case atOwnTime
    }

    /// The rule by which values expire.
    enum Expiration: Sendable {
        case never
        case afterWrite(Int64)
        case afterAccess(Int64)
        /// Each value has a time of its own, or doesn't expire.
        case atOwnTime
    }

    /// The times that a value contains, for rules that ask for them.
    @usableFromInline
    struct OwnTimes {
        var stale: Time?
        var expiration: Time?

        @usableFromInline
        init(stale: Time?, expiration: Time?) {
            self.stale = stale
            self.expiration = expiration
        }

        @inlinable static var none: OwnTimes { OwnTimes(stale: nil, expiration: nil) }
    }

    let staleness: Staleness
    let expiration: Expiration

    /// A Boolean value that indicates whether values become stale or expire.
    var isTimed: Bool {
        if case .never = staleness, case .never = expiration { false } else { true }
    }

    /// A Boolean value that indicates whether a value can contain its own times.
    @usableFromInline var hasOwnTimes: Bool {
        if case .atOwnTime = staleness { return true }
        if case .atOwnTime = expiration { return true }
        return false
    }

    /// Returns the time at which a value that is stored now becomes stale.
    ///
    /// An expired value that stays, because it's in use, is stale too. With `.afterAccess`, no
    /// value in use expires.
    @usableFromInline
    func staleTime(storedAt now: Time, _ own: OwnTimes) -> Time {
        let stale: Time =
            switch staleness {
            case .never: .max
            case .afterWrite(let lifetime): now.advanced(by: lifetime)
            case .atOwnTime: own.stale ?? .max
            }
        switch expiration {
        case .never, .afterAccess: return stale
        case .afterWrite(let lifetime): return min(stale, now.advanced(by: lifetime))
        case .atOwnTime: return min(stale, own.expiration ?? .max)
        }
    }

    /// Returns the time at which a value that is stored now expires.
    func expiration(storedAt now: Time, _ own: OwnTimes) -> Time {
        switch expiration {
        case .never: .max
        case .afterWrite(let lifetime), .afterAccess(let lifetime): now.advanced(by: lifetime)
        case .atOwnTime: own.expiration ?? .max
        }
    }
}
