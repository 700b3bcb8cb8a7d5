/// A closure that receives the errors that no call can throw.
///
/// ```swift
/// let log: PersistenceErrorHandler = { error in print(error.operation, error.key) }
/// let theme = Persister(key: "theme", defaultValue: "light", onError: log)
/// ```
public typealias PersistenceErrorHandler = @Sendable (PersistenceError) -> Void
