import FlatCache
import Foundation

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
