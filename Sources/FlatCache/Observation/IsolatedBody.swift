/// A closure of an actor's, on its way through code that is not the actor's.
struct IsolatedBody<Argument>: @unchecked Sendable {
    // Guarded by the actor: it is made there, and called nowhere else. Released it may be anywhere, as
    // what a `@Sendable` closure captures is; that is said where the closure is handed over.

    private let body: (Argument) -> Void
    /// Not kept alive: the actor may hold the token of the observation that holds this.
    private weak var actor: (any Actor)?

    init(of actor: (any Actor)?, _ body: @escaping (Argument) -> Void) {
        self.actor = actor
        self.body = body
    }

    /// Calls the closure, unless its actor has gone.
    ///
    /// Only on the actor that has made it, or when there is none any more.
    func callAsFunction(_ argument: Argument) {
        if actor != nil { body(argument) }
    }
}
