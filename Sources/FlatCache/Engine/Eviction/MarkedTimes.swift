/// The times that the marks of an entry contain.
struct MarkedTimes {
    /// The tick in which the entry was last read or written, as the remainder of its number.
    var tick: Int
    /// The time at which the entry was last stored or became stale, or `nil` if values don't
    /// expire.
    var since: Time?
}
