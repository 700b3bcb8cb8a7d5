/// The ages that determine the freshness of a value.
///
/// A cache's clock has no relation to other caches' clocks. To keep a freshness longer than the
/// cache, subtract the ages from the time of another clock.
@usableFromInline
package struct StoredFreshness: Hashable, Sendable {
    /// The ages in nanoseconds, or the least number for `nil`.
    ///
    /// Optional durations would take twice the memory, which a large flush would have to clear.
    private var ageNanoseconds: Int64
    private var staleNanoseconds: Int64

    @usableFromInline
    package init(age: Duration? = nil, staleFor: Duration? = nil) {
        ageNanoseconds = Self.nanoseconds(of: age)
        staleNanoseconds = Self.nanoseconds(of: staleFor)
    }

    /// A Boolean value that indicates whether there is neither an age nor a staleness.
    package var isEmpty: Bool { ageNanoseconds == .min && staleNanoseconds == .min }

    /// The time since the value was stored, or `nil` if it's unknown.
    @usableFromInline package var age: Duration? {
        get { Self.duration(of: ageNanoseconds) }
        set { ageNanoseconds = Self.nanoseconds(of: newValue) }
    }

    /// The time for which the value has been stale, or `nil` if it's fresh.
    @usableFromInline package var staleFor: Duration? {
        get { Self.duration(of: staleNanoseconds) }
        set { staleNanoseconds = Self.nanoseconds(of: newValue) }
    }

    private static func duration(of nanoseconds: Int64) -> Duration? {
        nanoseconds == .min ? nil : .nanoseconds(nanoseconds)
    }

    /// Returns a duration in nanoseconds, or the greatest number if it's longer than 292 years.
    private static func nanoseconds(of duration: Duration?) -> Int64 {
        guard let (seconds, attoseconds) = duration?.components else { return .min }
        let (product, isOverflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if isOverflow { return seconds < 0 ? -.max : .max }
        let (sum, isSumOverflow) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isSumOverflow ? (seconds < 0 ? -.max : .max) : sum
    }
}
