/// A wrapper that passes an actor-isolated closure through code that isn't isolated.
struct IsolatedBody<Argument>: @unchecked Sendable {
    // The actor guards the closure, which is created and called only there. The closure may be
    // released on any thread, like everything that a `@Sendable` closure captures. The methods that
    // accept the closure document this.

    private let body: (Argument) -> Void
    /// Weak, since the actor may hold the token of the observation that holds this value.
    private weak var actor: (any Actor)?

    init(of actor: (any Actor)?, _ body: @escaping (Argument) -> Void) {
        self.actor = actor
        self.body = body
    }

    /// Calls the closure, unless its actor has been deallocated.
    ///
    /// Must be called on the actor that created the closure, or after that actor's deallocation.
    func callAsFunction(_ argument: Argument) {
        if actor != nil { body(argument) }
    }
}
