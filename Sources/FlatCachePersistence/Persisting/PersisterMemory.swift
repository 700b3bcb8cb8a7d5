/// What a persister has found out, so that it need not do so again while nothing changes.
@usableFromInline
struct PersisterMemory<Value: Sendable>: Sendable {
    /// The version that all this is of; zero for none.
    @usableFromInline var version = 0
    /// What is read: the value that is stored, or the default.
    @usableFromInline var value: Value?
    /// Why the value is the default although something is stored.
    var error: PersistenceError?
    /// The time of the next attempt to store the default.
    var retries = RetrySchedule()
    /// The last error that was reported, until there is none.
    var reported: String?

    init() {}
}
