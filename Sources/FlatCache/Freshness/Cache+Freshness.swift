extension Cache {
    /// Returns the freshness of an entity: missing, fresh or stale.
    ///
    /// ```swift
    /// switch cache.freshness(of: Book.self, id: 1) {
    /// case .missing: print("not here")
    /// case .fresh: print("up to date")
    /// case .stale(let since): print("stale for \(since.duration(to: cache.now))")
    /// }
    /// ```
    ///
    /// The value's lifetime is compared with the clock, so the answer is exact even if the
    /// observers haven't been notified yet. A call doesn't count as a read of the value.
    ///
    /// ## Concurrency
    /// Waits for no writer. Inside a batch's closure it returns the freshness before the batch.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    @inlinable
    public func freshness<Value: Identifiable & Sendable>(
        of type: Value.Type,
        id: Value.ID
    ) -> Freshness where Value.ID: Sendable {
        core.tables.existingTable(of: type).map { core.freshness(of: id, in: $0) } ?? .missing
    }
}
