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
