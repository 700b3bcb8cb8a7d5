/// The failures of loads whose callers have given a time for which to remember them.
///
/// A plain value without locks or callbacks.
struct LoadFailures {
    /// The result of a failed load.
    struct Failure {
        /// The error, or `nil` if the answer didn't contain the entity.
        let error: (any Error)?
        /// The time until which the failure is remembered.
        let end: Time
    }

    /// The greatest number of failures.
    static var limit: Int { 10_000 }

    private var failures: [CacheKey: Failure] = [:]

    var isEmpty: Bool { failures.isEmpty }
    var count: Int { failures.count }

    func failure(of key: CacheKey, at now: Time) -> Failure? {
        failures[key].flatMap { now < $0.end ? $0 : nil }
    }

    /// Adds failures, and drops the ones that end first if there are too many.
    mutating func insert(_ error: (any Error)?, of keys: [CacheKey], until end: Time, at now: Time)
    {
        for key in keys { failures[key] = Failure(error: error, end: end) }
        guard failures.count > Self.limit else { return }
        failures = failures.filter { now < $0.value.end }
        guard failures.count > Self.limit else { return }
        // Many failures may end at the same time. Dropping half of them makes this rare.
        let dropped = failures.sorted { $0.value.end < $1.value.end }
            .dropLast(Self.limit / 2)
        for (key, _) in dropped { failures[key] = nil }
    }

    mutating func forget(_ key: CacheKey) {
        if !failures.isEmpty { failures[key] = nil }
    }

    mutating func forget(where isForgotten: (CacheKey) -> Bool) {
        if failures.isEmpty { return }
        for key in failures.keys where isForgotten(key) { failures[key] = nil }
    }
}
