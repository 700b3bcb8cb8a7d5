/// The state of a value in memory that could not be stored.
struct UnsavedState<Value: Sendable>: Sendable {
    /// Returns whether a stored value is corrupt for the user who set the unsaved value.
    ///
    /// It's `nil` if no corrupt value was possible.
    ///
    /// A corrupt value has to be copied before any user replaces it.
    let isCorrupt: (@Sendable (Value?) -> Bool)?
    var retries = RetrySchedule()
}
