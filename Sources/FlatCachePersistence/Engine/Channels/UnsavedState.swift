/// The state of a value in memory that could not be stored.
struct UnsavedState<Value: Sendable>: Sendable {
    /// Returns whether a stored value is corrupt for the user who set the unsaved value.
    ///
    /// It's `nil` if no corrupt value was possible, or if it has been copied.
    ///
    /// A corrupt value has to be copied before any user replaces it.
    var isCorrupt: (@Sendable (Value?) -> Bool)?
    /// `true` if the corrupt value has been copied, so that no other attempt copies it again.
    var hasCopiedCorruptValue = false
    var retries = RetrySchedule()
    /// The lease that keeps the channel open until the value is stored or replaced, if the storage
    /// has channels.
    var lease: ChannelLease<Value>?
}
