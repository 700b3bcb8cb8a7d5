import FlatCache
import Foundation

/// Gets errors that nobody can be thrown to.
public typealias PersistenceErrorHandler = @Sendable (PersistenceError) -> Void

extension PersistenceError {
    private static let fallback = Guarded<PersistenceErrorHandler>(writeToStandardError)

    /// Who gets errors that nobody can be thrown to and that no handler of their own is there for.
    ///
    /// At first a line is written to the standard error stream.
    ///
    /// ## Concurrency
    /// The closure is called on any thread, several at a time, under no lock.
    public static var defaultHandler: PersistenceErrorHandler {
        get { fallback.withLock { $0 } }
        set {
            let displaced = fallback.withLock { handler in
                defer { handler = newValue }
                return handler
            }
            withExtendedLifetime(displaced) {}
        }
    }

    private static func writeToStandardError(_ error: PersistenceError) {
        FileHandle.standardError.write(Data("FlatCachePersistence: \(error)\n".utf8))
    }
}
