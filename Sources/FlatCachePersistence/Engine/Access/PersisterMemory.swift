/// The results that a persister remembers while the value is unchanged.
@usableFromInline
struct PersisterMemory<Value: Sendable>: Sendable {
    /// The version of the remembered results; zero if there are none.
    @usableFromInline var version = 0
    /// The value that reads return: the stored one or the default.
    @usableFromInline var value: Value?
    /// The decoding error because of which `value` is the default although a value is stored.
    var error: PersistenceError?
    /// The schedule of attempts to store the default.
    var retries = RetrySchedule()

    init() {}
}
