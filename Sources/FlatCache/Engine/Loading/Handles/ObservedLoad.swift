/// A loading handle that the cache notifies of the writes that its observation doesn't show.
protocol ObservedLoad: AnyObject, Sendable {
    /// Records that the entity was removed or invalidated, whether or not it had a value.
    func record(_ withdrawal: Withdrawal)

    /// Records that another loader was set for the type.
    func recordNewLoader()

    /// Ends the handle's load and observations after the cache was deallocated.
    func close()
}
