import Foundation

/// Says what could not be done with a persisted value, and why.
public struct PersistenceError: Error, Sendable, CustomStringConvertible {
    /// What could not be done.
    public enum Operation: Hashable, Sendable {
        /// The storage could not be read. There may be a value all the same.
        case read
        /// The value could not be stored; what was stored before still is.
        case write
        /// The value could not be removed.
        case remove
        /// The value could not be turned into what the storage holds.
        case transform
        /// What is stored could not be understood.
        case untransform
        /// What could not be understood could not be kept, so it was not overwritten.
        case keepCorrupt
        /// The key belongs to values of another type.
        case claim
    }

    /// What could not be done.
    public let operation: Operation

    /// The key, as text.
    public let key: String

    /// The storage, as text: its type, and its place if it has one.
    public let storage: String

    /// What went wrong.
    public let underlying: any Error

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - operation: What could not be done.
    ///   - key: The key.
    ///   - storage: The storage.
    ///   - underlying: What went wrong.
    public init(
        _ operation: Operation,
        key: some Any,
        storage: some Any,
        underlying: any Error
    ) {
        self.operation = operation
        // Files are known by their paths.
        let url = (key as? URL).flatMap { $0.isFileURL ? $0.standardizedFileURL.path : nil }
        self.key = url ?? String(describing: key)
        self.storage = String(describing: storage)
        self.underlying = underlying
    }

    /// A sentence that names the key, the storage and the cause.
    public var description: String {
        "The value of '\(key)' in \(storage) \(operation.failure): \(underlying)"
    }
}

extension PersistenceError.Operation {
    fileprivate var failure: String {
        switch self {
        case .read: "could not be read"
        case .write: "could not be stored"
        case .remove: "could not be removed"
        case .transform: "could not be turned into what the storage holds"
        case .untransform: "could not be understood"
        case .keepCorrupt: "could not be understood, nor kept, so it was not overwritten"
        case .claim: "is of another type"
        }
    }
}
