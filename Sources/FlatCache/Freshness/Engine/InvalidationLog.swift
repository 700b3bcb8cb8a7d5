/// The versions as of which all values of a table were made stale.
///
/// A plain value without locks or callbacks.
struct InvalidationLog {
    private struct Invalidation {
        let version: UInt64
        let time: Time
    }

    /// The invalidations in ascending order of their versions.
    private var invalidations: [Invalidation] = []

    /// The number of invalidations at which the log drops its older half, except entries that open
    /// snapshots need.
    ///
    /// A value that was stored before all kept invalidations counts as stale since the oldest of
    /// them.
    static var maximumCount: Int { 64 }

    /// The version of the latest invalidation, or zero if there's none.
    var latestVersion: UInt64 { invalidations.last?.version ?? 0 }

    /// Adds an invalidation.
    ///
    /// - Parameter snapshots: A closure that returns the versions of the open snapshots. It's
    ///   called only if the log drops its older half.
    mutating func append(_ version: UInt64, at time: Time, snapshots: () -> [UInt64] = { [] }) {
        if invalidations.count >= Self.maximumCount { forget(keepingFor: snapshots()) }
        invalidations.append(Invalidation(version: version, time: time))
    }

    /// Forgets old invalidations, except the latest ones that each open snapshot sees.
    private mutating func forget(keepingFor snapshots: [UInt64]) {
        let recent = invalidations.suffix(Self.maximumCount / 2)
        let seen = snapshots.compactMap { snapshot in
            invalidations.lastIndex { $0.version <= snapshot }
        }
        let kept = Set(seen).filter { $0 < recent.startIndex }.sorted()
        invalidations = kept.map { invalidations[$0] } + recent
    }

    /// Returns the time of the first invalidation of a value, or `nil` if there was none.
    ///
    /// - Parameters:
    ///   - version: The version of the commit that stored the value.
    ///   - readVersion: The version that is read.
    func staleTime(stored version: UInt64, readAt readVersion: UInt64) -> Time? {
        guard version < latestVersion else { return nil }
        let first = invalidations.first { version < $0.version }
        return first.flatMap { $0.version <= readVersion ? $0.time : nil }
    }
}
