/// The value that a persister remembers while it is unchanged, and the results of its last read.
@usableFromInline
struct RememberedValue<Value: Sendable>: Sendable {
    /// The version of the remembered value; zero if there is none.
    @usableFromInline var version = 0
    /// The value that reads return: the stored one or the default.
    @usableFromInline var value: Value?
    /// The decoding error because of which `value` is the default although a value is stored.
    @usableFromInline var error: PersistenceError?
    /// The schedule of attempts to store the default.
    var retries = RetrySchedule()

    init() {}
}
