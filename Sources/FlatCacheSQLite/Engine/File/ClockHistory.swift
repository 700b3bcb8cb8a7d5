#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache
import Foundation

/// The dates that the wall clock has shown while graphs used a file.
///
/// A wall clock can be behind or ahead, or jump. The history consists of *runs*, in each of which
/// the clock has advanced without a jump. The age of a row is the length of the runs since its
/// date, plus a part of the time between them. So a row whose date is in the future has an age, and
/// a row from the past is no older than the runs since then.
struct ClockHistory {
    private struct Run {
        var start: Double
        var end: Double
        /// The time before the run in which no graph used the file, or zero if the clock shows that
        /// there was none.
        var gap: Double = 0

        func contains(_ time: Double) -> Bool {
            start - ClockHistory.slack <= time && time <= end + ClockHistory.slack
        }
    }

    /// The time in milliseconds that may be missing at the ends of a run in the file.
    fileprivate static let slack = 60_000.0
    /// The longest step of the clock in milliseconds that isn't a jump.
    private static let longestStep = 3_600_000.0
    /// The number of runs that the file keeps.
    private static let maximumCount = 500

    static let create = """
        CREATE TABLE IF NOT EXISTS flatcache_clock (number INTEGER PRIMARY KEY, \
        start INTEGER NOT NULL, latest INTEGER NOT NULL)
        """

    private var runs: [Run] = []

    /// Records the present time, as part of a transaction.
    ///
    /// - Parameter elapsed: The time since the graph's former record by a clock that doesn't jump,
    ///   or zero if there is none.
    static func record(
        _ now: WallTime,
        after elapsed: Duration = .zero,
        in database: Database
    ) throws(SQLiteGraphError) {
        try database.execute(create)
        let last = try database.rows(
            "SELECT number, latest FROM flatcache_clock ORDER BY number DESC LIMIT 1"
        ) { (number: $0.number(0), latest: $0.real(1)) }.first
        if let last {
            let step = Double(now.milliseconds) - last.latest
            let longest = slack + max(longestStep, elapsed / .milliseconds(1))
            // The time in the file is behind by up to `slack`, so that few flushes write it.
            if -slack...slack ~= step { return }
            if slack...longest ~= step {
                return try database.statement(
                    "UPDATE flatcache_clock SET latest = ? WHERE number = ?"
                ).run(now.milliseconds, last.number)
            }
        }
        let number = last.map { $0.number + 1 } ?? 1
        try database.statement(
            "INSERT INTO flatcache_clock (number, start, latest) VALUES (?1, ?2, ?2)"
        ).run(number, now.milliseconds)
        try database.statement("DELETE FROM flatcache_clock WHERE number <= ?").run(
            number - Int64(maximumCount)
        )
    }

    /// Reads the history of a file in which the present time has been recorded.
    init(of database: Database, at now: WallTime) throws(SQLiteGraphError) {
        runs = try database.rows("SELECT start, latest FROM flatcache_clock ORDER BY number") {
            Run(start: $0.real(0), end: $0.real(1))
        }
        guard let last = runs.indices.last else { return }
        runs[last].end = max(runs[last].end, Double(now.milliseconds))
        setGaps()
    }

    /// Computes the gaps between the runs.
    ///
    /// If a run begins before an earlier run, the clock was ahead during the earlier one, and the
    /// gap before that one doesn't count. If a run begins before all others, and a later run
    /// continues the others, the clock was behind for a while.
    private mutating func setGaps() {
        var trusted: [Int] = []
        for index in runs.indices {
            let start = runs[index].start
            if let first = trusted.first, let last = trusted.last, start < runs[first].start,
                runs[(index + 1)...].contains(where: { $0.start >= runs[last].end })
            {
                continue
            }
            while let last = trusted.last, start < runs[last].start {
                runs[last].gap = 0
                trusted.removeLast()
            }
            if let last = trusted.last {
                let between = runs[(last + 1)..<index].reduce(0) { $0 + $1.end - $1.start }
                runs[index].gap = max(0, start - runs[last].end - between)
            }
            trusted.append(index)
        }
    }

    /// Returns the age of a date in milliseconds since 1970.
    ///
    /// The time between two runs counts up to a maximum, and only as long as the clock has advanced
    /// since, because the clock may be ahead since then.
    ///
    /// - Parameter longestGap: The longest time in milliseconds that a gap counts.
    /// - Complexity: O(*n*) in the number of runs.
    func age(of time: Double, longestGap: Double = .infinity) -> Double {
        var age = 0.0
        for (index, run) in runs.enumerated().reversed() {
            if run.contains(time) { return age + max(0, run.end - time) }
            // A millisecond orders the rows of runs that ended when they began.
            age += run.end - run.start + 1
            // The row was written by a graph that hasn't recorded the time.
            if run.start - run.gap < time, time < run.start { return age }
            let isLast = index == runs.count - 1
            let since = isLast ? age : max(age, Self.longestStep)
            age += min(run.gap, max(longestGap, Self.longestStep), since)
        }
        guard let first = runs.first, time < first.start else { return age }
        return age + min(first.start - time, Self.longestStep)
    }

    /// Returns the time for which a row has been stale, in milliseconds, negative if it's fresh.
    ///
    /// - Parameters:
    ///   - stale: The date since when the row has been stale, or will be.
    ///   - base: The date when the row was stored or used.
    ///   - longestGap: The longest time in milliseconds that a gap counts.
    func staleness(since stale: Double, storedAt base: Double, longestGap: Double) -> Double {
        let isPast = stale <= runs.last?.end ?? 0 || runs.contains { $0.contains(stale) }
        if isPast { return age(of: stale, longestGap: longestGap) }
        return age(of: base, longestGap: longestGap) - (stale - base)
    }
}

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
