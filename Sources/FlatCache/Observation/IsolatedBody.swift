/// A closure of an actor's, on its way through code that is not the actor's.
struct IsolatedBody<Argument>: @unchecked Sendable {
    // Guarded by the actor: it is made there, and called nowhere else.

    private let body: (Argument) -> Void

    init(_ body: @escaping (Argument) -> Void) {
        self.body = body
    }

    /// Calls the closure.
    ///
    /// Only on the actor that has made it.
    func callAsFunction(_ argument: Argument) { body(argument) }
}
