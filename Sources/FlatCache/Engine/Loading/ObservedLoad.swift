/// A loading handle, as the cache notifies it of writes that its observation doesn't show.
protocol ObservedLoad: AnyObject, Sendable {
    /// The entity, even if it has no value, was removed or invalidated.
    func record(_ withdrawal: Withdrawal)

    /// The cache was deallocated.
    func close()
}
