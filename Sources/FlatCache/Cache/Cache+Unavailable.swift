// A lifetime belongs to a type or a request, and not to the load of one entity.

extension Cache {
    /// Unavailable: set the lifetime of all values of the type.
    @available(
        *,
        unavailable,
        message: """
            Set the lifetime of the type once: \
            configuration.limit(Book.self, staleAfter: .seconds(60))
            """
    )
    public func load<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        staleAfter lifetime: Duration,
        policy: LoadPolicy = .cacheFirst,
        _ fetch: (@Sendable () async throws -> Value?)? = nil
    ) async throws -> Value? where Value.ID: Sendable {
        preconditionFailure("Set the lifetime of the type.")
    }
}
