import FlatCache
import Foundation

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

extension PersistenceError {
    private static let currentHandler = Locked<PersistenceErrorHandler>(writeToStandardError)

    /// The error handler of persisters without their own handler.
    ///
    /// The initial handler writes a line to the standard error stream.
    ///
    /// ```swift
    /// PersistenceError.defaultHandler = { error in print(error) }
    /// ```
    ///
    /// ## Concurrency
    /// You can read and set this property on any thread. The handler may run on any thread, several
    /// threads at a time; see ``PersistenceErrorHandler``.
    public static var defaultHandler: PersistenceErrorHandler {
        get { currentHandler.withLock { $0 } }
        set {
            let prior = currentHandler.withLock { handler in
                defer { handler = newValue }
                return handler
            }
            withExtendedLifetime(prior) {}
        }
    }

    private static func writeToStandardError(_ error: PersistenceError) {
        FileHandle.standardError.write(Data("FlatCachePersistence: \(error)\n".utf8))
    }
}
