#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import Foundation

/// A time as the columns of a row contain it.
struct WallTime: Hashable, Sendable {
    /// The milliseconds since 1970.
    let milliseconds: Int64

    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    init(_ date: Date) { milliseconds = Int64(date.timeIntervalSince1970 * 1_000) }

    var seconds: Int64 { milliseconds / 1_000 }

    /// Returns the time that is an age before this one, in milliseconds.
    func before(_ age: Duration) -> Int64 { milliseconds - Self.milliseconds(of: age) }

    /// Returns a duration in milliseconds, or a hundred million years if it's longer.
    private static func milliseconds(of duration: Duration) -> Int64 {
        let longest = Int64.max / 4
        let (seconds, attoseconds) = duration.components
        guard abs(seconds) < longest / 1_000 else { return seconds < 0 ? -longest : longest }
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }

    /// Returns the time until a stored time, negative if it has passed.
    func duration(until stored: Int64) -> Duration {
        let (difference, isOverflow) = stored.subtractingReportingOverflow(milliseconds)
        return .milliseconds(isOverflow ? 0 : difference)
    }

    /// Returns the age of a stored time, or zero if the clock was set back before it.
    func age(of stored: Int64) -> Duration {
        let (difference, isOverflow) = milliseconds.subtractingReportingOverflow(stored)
        return .milliseconds(isOverflow ? 0 : max(0, difference))
    }
}
#endif
