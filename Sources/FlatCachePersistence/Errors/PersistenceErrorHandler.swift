/// A closure that receives the errors of calls that don't throw, such as reading or setting a
/// property.
///
/// ```swift
/// let log: PersistenceErrorHandler = { error in print(error.operation, error.key) }
/// let theme = Persister(key: "theme", defaultValue: "light", onError: log)
/// ```
///
/// A read that fails calls the closure once, until a read of the value succeeds. A property that
/// can't store its value calls it each time it's set.
///
/// ## Concurrency
/// The closure may run on any thread, several threads at a time. It runs under no lock, unless the
/// failing call is inside another closure that runs under one, such as an update. The closure may
/// read values. If it sets a property that can't be stored, it's called again.
public typealias PersistenceErrorHandler = @Sendable (PersistenceError) -> Void
