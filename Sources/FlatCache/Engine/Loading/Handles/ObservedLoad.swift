/// A loading handle, which the cache notifies of the writes that an observation of its entity
/// doesn't report.
protocol ObservedLoad: AnyObject, Sendable {
    /// Records that the entity was removed or invalidated, whether or not it had a value.
    func record(_ withdrawal: Withdrawal)

    /// Records that another loader was set for the type.
    func recordNewLoader()

    /// Ends the handle's load and observations after the cache was deallocated.
    func close()
}
