import FlatCache

/// A value that is evaluated when it is first needed, and only once.
///
/// `evaluating` is held while it is evaluated; `value` is guarded by the lock that it is kept under.
final class DefaultValue<Value: Sendable>: Sendable {
    private let evaluating = WriterLock()
    private let value: Guarded<Value?> = Guarded(nil)
    private let evaluate: @Sendable () -> Value
    private let name: @Sendable () -> String

    init(name: @escaping @Sendable () -> String, _ evaluate: @escaping @Sendable () -> Value) {
        self.name = name
        self.evaluate = evaluate
    }

    /// The value, if it has been evaluated.
    var evaluated: Value? { value.withLock { $0 } }

    /// The value.
    ///
    /// A thread that needs it while another evaluates it waits. To be called under no other lock: the
    /// closure is a user's, and may use the very key that this is the default of.
    func callAsFunction() -> Value {
        if let evaluated { return evaluated }
        precondition(
            !evaluating.isHeldByCurrentThread,
            """
            The default value of \(name()) reads that very value, which is not stored, so it needs \
            itself. Let the default value read something else.
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
