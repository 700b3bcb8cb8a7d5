/// A loading handle that the cache notifies of the writes that its observation doesn't show.
protocol ObservedLoad: AnyObject, Sendable {
    /// Records that the entity was removed or invalidated, whether or not it had a value.
    func record(_ withdrawal: Withdrawal)

    /// Ends the handle's load and observations after the cache was deallocated.
    func close()
}
