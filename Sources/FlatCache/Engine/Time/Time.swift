/// A point in time: the number of nanoseconds since the creation of a cache.
///
/// Spans of time are numbers of nanoseconds.
@usableFromInline
struct Time: Hashable, Comparable, Sendable {
    @usableFromInline let nanoseconds: Int64

    @inlinable @inline(__always)
    init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    static var start: Time { Time(nanoseconds: 0) }
    static var min: Time { Time(nanoseconds: .min) }
    static var max: Time { Time(nanoseconds: .max) }

    @inlinable @inline(__always)
    static func == (left: Time, right: Time) -> Bool { left.nanoseconds == right.nanoseconds }

    @inlinable @inline(__always)
    static func < (left: Time, right: Time) -> Bool { left.nanoseconds < right.nanoseconds }

    @inlinable @inline(__always)
    static func >= (left: Time, right: Time) -> Bool { left.nanoseconds >= right.nanoseconds }

    /// Returns the time after a number of nanoseconds, or the nearest time if there's none.
    func advanced(by span: Int64) -> Time {
        let (sum, overflows) = nanoseconds.addingReportingOverflow(span)
        return overflows ? (span < 0 ? .min : .max) : Time(nanoseconds: sum)
    }

    /// Returns the nanoseconds since another time, clamped to the range of the type.
    func nanoseconds(since other: Time) -> Int64 {
        let (difference, overflows) = nanoseconds.subtractingReportingOverflow(other.nanoseconds)
        return overflows ? (other.nanoseconds < 0 ? .max : .min) : difference
    }
}
