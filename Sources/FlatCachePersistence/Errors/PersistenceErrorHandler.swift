/// A closure that receives the errors that no call can throw.
public typealias PersistenceErrorHandler = @Sendable (PersistenceError) -> Void
