/// A time that never goes back, derived from the readings of a clock that may be set back.
///
/// When the clock is set back, the time continues from the latest reading, so that no value lives
/// longer or becomes fresher.
struct SteadyTime {
    /// The latest reading, in nanoseconds.
    private var latest = Time.min
    /// The difference between the time and the clock, in nanoseconds.
    private(set) var offset: Time = 0

    /// Returns the time for a reading of the clock.
    mutating func time(at reading: Time) -> Time {
        if reading < latest { offset = offset.advanced(by: latest.subtracting(reading)) }
        latest = reading
        return reading.advanced(by: offset)
    }
}
