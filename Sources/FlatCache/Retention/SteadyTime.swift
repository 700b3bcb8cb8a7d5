/// Turns the readings of a clock that may be set back into a time that never goes back.
///
/// When the clock is set back, the time goes on from the latest reading: nothing lives longer, or
/// becomes fresher, by that.
struct SteadyTime {
    /// The latest reading, in nanoseconds.
    private var latest = Time.min
    /// How far the time is ahead of the clock.
    private(set) var offset: Time = 0

    /// Returns the time at a reading of the clock.
    mutating func time(at reading: Time) -> Time {
        if reading < latest { offset = offset.advanced(by: latest.subtracting(reading)) }
        latest = reading
        return reading.advanced(by: offset)
    }
}
