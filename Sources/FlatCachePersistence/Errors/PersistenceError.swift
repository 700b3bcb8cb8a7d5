import FlatCache
public import Foundation

/// An error of an operation on a persisted value.
///
/// ```swift
/// do {
///     try settings.$draft.persist(order)
/// } catch {
///     print("The \(error.operation) of \(error.key) failed: \(error.underlying)")
/// }
/// ```
public struct PersistenceError: Error, Sendable, CustomStringConvertible {
    /// An operation that can fail.
    ///
    /// ```swift
    /// PersistenceError.defaultHandler = { error in
    ///     switch error.operation {
    ///     case .untransform: print("\(error.key) is corrupt; its default is in use.")
    ///     case .write: print("\(error.key) isn't stored: \(error.underlying)")
    ///     default: print(error)
    ///     }
    /// }
    /// ```
    public enum Operation: Hashable, Sendable {
        /// Reading the value from the storage. The storage may nevertheless hold a value.
        case read
        /// Storing the value. The storage still holds the prior value.
        case write
        /// Removing the value.
        case remove
        /// Converting the value to its stored form. The value isn't set, and reads return the prior
        /// one.
        case transform
        /// Converting the stored form to a value, because the stored form is corrupt.
        case untransform
        /// Keeping a copy of a corrupt value. The value was therefore not overwritten.
        case keepCorrupt
    }

    /// The operation that failed.
    public let operation: Operation

    /// The key, as text.
    public let key: String

    /// The storage, as text: its type, and its location if it has one.
    public let storage: String

    /// The cause of the failure, such as a ``FileError``, a ``PropertyListError``, a
    /// `DecodingError`, or an error of a custom storage or transformer.
    public let underlying: any Error

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - operation: The operation that failed.
    ///   - key: The key.
    ///   - storage: The storage.
    ///   - underlying: The cause of the failure.
    public init(
        _ operation: Operation,
        key: some Any,
        storage: some Any,
        underlying: any Error
    ) {
        self.operation = operation
        self.key = Self.name(of: key)
        self.storage = String(describing: storage)
        self.underlying = underlying
    }

    /// Returns the description of a key: for a file, its path.
    static func name(of key: some Any) -> String {
        let url = (key as? URL).flatMap { $0.isFileURL ? $0.standardizedFileURL.path : nil }
        return url ?? String(describing: key)
    }

    /// A sentence that names the key, the storage and the cause.
    public var description: String {
        "The value of '\(key)' in \(storage) \(operation.failure): \(underlying)"
    }
}

extension PersistenceError: LocalizedError {
    /// The error's ``description``, returned by `localizedDescription`.
    public var errorDescription: String? { description }
}

extension PersistenceError.Operation {
    fileprivate var failure: String {
        switch self {
        case .read: "could not be read"
        case .write: "could not be stored"
        case .remove: "could not be removed"
        case .transform: "could not be converted to its stored form, so it isn't set"
        case .untransform: "could not be understood"
        case .keepCorrupt: "could not be understood or kept, so it was not overwritten"
        }
    }
}

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
            currentHandler.change { $0 = newValue }
        }
    }

    private static func writeToStandardError(_ error: PersistenceError) {
        FileHandle.standardError.write(Data("FlatCachePersistence: \(error)\n".utf8))
    }
}

/// A cause of a failed operation that is known by its description only.
struct StorageFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
