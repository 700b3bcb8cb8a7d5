import FlatCache

/// A default value that is evaluated at most once, when it's first needed.
///
/// `evaluating` is held during the evaluation; `value` has its own lock.
final class DefaultValue<Value: Sendable>: Sendable {
    private let evaluating = WriterLock()
    private let value: Locked<Value?> = Locked(nil)
    private let evaluate: @Sendable () -> Value
    private let access: any ValueAccess

    init(of access: any ValueAccess, _ evaluate: @escaping @Sendable () -> Value) {
        self.access = access
        self.evaluate = evaluate
    }

    /// The value, or `nil` if the default hasn't been evaluated yet.
    var evaluated: Value? { value.withLock { $0 } }

    /// The value.
    ///
    /// If another thread is evaluating the default, this thread waits. Call this method under no
    /// other lock, because the user's closure may use the key of the default.
    func callAsFunction() -> Value {
        if let evaluated { return evaluated }
        precondition(
            !evaluating.isHeldByCurrentThread,
            """
            The default value of \(access.place) reads the value itself, which isn't stored yet. Don't \
            read a value in the closure of its default.
            """
        )
        evaluating.acquire()
        defer { evaluating.release() }
        if let evaluated { return evaluated }
        let new = evaluate()
        value.withLock { $0 = new }
        return new
    }
}
