import FlatCache

extension Storage {
    /// Runs a closure, and adds the key and the storage to an error that it throws.
    func explaining<Result>(
        _ operation: PersistenceError.Operation,
        _ key: Key,
        _ body: () throws -> Result
    ) throws(PersistenceError) -> Result {
        do {
            return try body()
        } catch {
            throw explained(error, operation, key)
        }
    }

    /// Returns an error that names the key and this storage.
    func explained(
        _ error: any Error,
        _ operation: PersistenceError.Operation,
        _ key: Key
    ) -> PersistenceError {
        if let error = error as? PersistenceError { return error }
        let isUnencodable = error is PropertyListError || error is EncodingError
        let operation = operation == .write && isUnencodable ? .transform : operation
        return PersistenceError(operation, key: key, storage: self, underlying: error)
    }
}

/// A record of the last reported error.
///
/// With it, an error is reported only once until an operation succeeds.
final class ErrorRecord: Sendable {
    private let last = Locked<String?>(nil)

    /// Records an error, and returns whether it differs from the last reported one.
    func record(_ error: PersistenceError) -> Bool {
        let description = error.description
        return last.withLock { last in
            defer { last = description }
            return last != description
        }
    }

    /// Discards the last reported error, because an operation has succeeded.
    func clear() { last.withLock { $0 = nil } }
}
