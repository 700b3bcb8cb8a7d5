/// When values of a type expire.
///
/// What expires while nobody looks at it is removed. What is observed, reached by an observation,
/// or pinned stays and becomes stale: ``Cache/get(_:id:)`` passes over it;
/// ``Cache/get(_:id:allowStale:)``, handles, lists and aliases return it; and
/// ``Cache/refreshNeeded`` tells that it should be fetched again if someone is looking at it.
/// Storing it makes it fresh, also if it is equal to what is there. When it is not in use any more,
/// it goes.
///
/// Times are those of the cache's clock, ``CacheConfiguration/clock``. The cache removes or marks
/// what has expired when that is due, within a hundredth of a second, but not while another thread
/// is writing; reading does not look at the clock.
public struct CacheExpiration<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    enum Rule: Sendable {
        case never
        case afterWrite(Duration)
        case afterAccess(Duration)
        case at(any ExpirationDate<Value>)
    }

    let rule: Rule

    /// Whether two are known to be the same, which of functions is not known.
    func isSame(as other: CacheExpiration) -> Bool {
        switch (rule, other.rule) {
        case (.never, .never): true
        case (.afterWrite(let time), .afterWrite(let otherTime)): time == otherTime
        case (.afterAccess(let time), .afterAccess(let otherTime)): time == otherTime
        default: false
        }
    }

    /// Values stay fresh for ever.
    public static var never: CacheExpiration { CacheExpiration(rule: .never) }

    /// A value expires some time after it has last been stored.
    ///
    /// - Parameter lifetime: How long it stays fresh; more than zero.
    public static func afterWrite(_ lifetime: Duration) -> CacheExpiration {
        precondition(lifetime > .zero, "Values cannot stay fresh for \(lifetime): give some time.")
        return CacheExpiration(rule: .afterWrite(lifetime))
    }

    /// A value expires some time after it has last been read or stored.
    ///
    /// Reading is: by identifier, through a handle, a list or an alias. Enumerating all of a type,
    /// or asking for the state of a value, is not. While a value is observed or pinned it is in
    /// use, and doesn't expire; when it comes out of use it counts as read. How long ago a value
    /// was read is known to an eighth of the time, so it stays for up to an eighth longer; and since
    /// reading looks at no clock, what is read while the cache can't look at it either, such as when
    /// it is held up by a long batch, counts as read at the end of that.
    ///
    /// - Parameter time: For how long it must not have been read or stored; more than zero.
    public static func afterAccess(_ time: Duration) -> CacheExpiration {
        precondition(time > .zero, "Values cannot stay for \(time): give some time.")
        return CacheExpiration(rule: .afterAccess(time))
    }

    /// A value says when it expires, such as by what a server has said of it.
    ///
    /// ## Concurrency
    /// Called once by each commit that stores a value, on the thread that writes, and for what is
    /// there already on the one that calls ``Cache/limit(_:_:expires:)``; under the writers' lock:
    /// the cache may be read there but not changed.
    ///
    /// - Parameter expiration: The instant at which a value expires, of the cache's clock; `nil`
    ///   for one that does not. A value whose instant has passed already expires at once. Instants
    ///   of another clock's type are a programmer's error, which traps where the cache is told to
    ///   use them.
    public static func at<Instant: InstantProtocol>(
        _ expiration: @escaping @Sendable (Value) -> Instant?
    ) -> CacheExpiration where Instant.Duration == Duration {
        CacheExpiration(rule: .at(InstantExpirationDate(expiration: expiration)))
    }
}

/// Tells when values expire, by instants of some clock.
protocol ExpirationDate<Value>: Sendable {
    associatedtype Value

    /// The function that gives the same as times of a timeline; `nil` if that is of another clock.
    func times(on timeline: any Timeline) -> (@Sendable (Value) -> Time?)?

    var instantType: Any.Type { get }
}

private struct InstantExpirationDate<Value, Instant: InstantProtocol>: ExpirationDate
where Instant.Duration == Duration {
    let expiration: @Sendable (Value) -> Instant?

    var instantType: Any.Type { Instant.self }

    func times(on timeline: any Timeline) -> (@Sendable (Value) -> Time?)? {
        guard let time = timeline.timeFunction(of: Instant.self) else { return nil }
        return { [expiration] value in expiration(value).map(time) }
    }
}
