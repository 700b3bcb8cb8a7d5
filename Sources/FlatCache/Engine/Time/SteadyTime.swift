/// A time that never goes back, derived from the readings of a clock that may be set back.
///
/// When the clock is set back, the time continues from the latest reading, so that no value lives
/// longer or becomes fresher.
struct SteadyTime {
    /// The latest reading.
    private var latest = Time.min
    /// The difference between the time and the clock, in nanoseconds.
    private(set) var offset: Int64 = 0

    /// Returns the time for a reading of the clock.
    mutating func time(at reading: Time) -> Time {
        if reading < latest {
            let (sum, overflows) =
                offset.addingReportingOverflow(latest.nanoseconds(since: reading))
            offset = overflows ? .max : sum
        }
        latest = reading
        return reading.advanced(by: offset)
    }
}
