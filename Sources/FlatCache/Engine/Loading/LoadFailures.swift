/// The failures of loads whose callers have given a time for which to remember them.
///
/// A plain value without locks or callbacks.
struct LoadFailures {
    /// The result of a failed load.
    struct Failure {
        /// The error, or `nil` if the answer didn't contain the entity.
        let error: (any Error)?
        /// The version that was visible when the call began.
        let version: UInt64
        /// The time from which on the failure is remembered.
        let start: Time
        /// The time until which the failure is remembered.
        let end: Time

        /// Returns whether an entity was stored after the beginning of the call that hasn't found
        /// it.
        ///
        /// Storing an equal value changes only the time, which is recorded for types with
        /// lifetimes.
        func isDisproved(byStoring version: UInt64, at time: Time?) -> Bool {
            error == nil && (version > self.version || time.map { $0 > start } ?? false)
        }
    }

    /// The maximum number of failures.
    static var limit: Int { 10_000 }

    private var failures: [CacheKey: Failure] = [:]

    var isEmpty: Bool { failures.isEmpty }
    var count: Int { failures.count }

    func failure(of key: CacheKey, at now: Time) -> Failure? {
        failures[key].flatMap { now < $0.end ? $0 : nil }
    }

    /// Adds failures, and drops the ones that end first if there are too many.
    ///
    /// - Returns: The previous failures, to be released after the locks.
    @discardableResult
    mutating func insert(
        _ error: (any Error)?,
        of keys: [CacheKey],
        since version: UInt64,
        until end: Time,
        at now: Time
    ) -> [Failure] {
        var former: [Failure] = []
        for key in keys {
            let failure = Failure(error: error, version: version, start: now, end: end)
            if let displaced = failures.updateValue(failure, forKey: key) {
                former.append(displaced)
            }
        }
        guard failures.count > Self.limit else { return former }
        let ended = failures.filter { $0.value.end <= now }
        for key in ended.keys { former += forget(key) }
        guard failures.count > Self.limit else { return former }
        // Many failures may end at the same time. Dropping half of them makes this rare.
        let dropped = failures.sorted { $0.value.end < $1.value.end }
            .dropLast(Self.limit / 2)
        for (key, failure) in dropped {
            failures[key] = nil
            former.append(failure)
        }
        return former
    }

    /// Removes the failure of a load; returns it, to be released after the locks.
    @discardableResult
    mutating func forget(_ key: CacheKey) -> [Failure] {
        failures.isEmpty ? [] : failures.removeValue(forKey: key).map { [$0] } ?? []
    }

    /// Removes the failures of loads; returns them, to be released after the locks.
    @discardableResult
    mutating func forget(where isForgotten: (CacheKey) -> Bool) -> [Failure] {
        if failures.isEmpty { return [] }
        return failures.keys.filter(isForgotten).flatMap { forget($0) }
    }
}
