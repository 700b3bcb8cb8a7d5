extension Storage {
    /// Runs a closure; what it throws says then which key of which storage it is about.
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

    /// An error that says which key of this storage it is about.
    func explained(
        _ error: any Error,
        _ operation: PersistenceError.Operation,
        _ key: Key
    ) -> PersistenceError {
        error as? PersistenceError
            ?? PersistenceError(operation, key: key, storage: self, underlying: error)
    }
}
