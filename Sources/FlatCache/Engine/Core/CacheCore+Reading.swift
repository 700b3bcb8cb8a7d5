extension CacheCore {
    @inlinable @inline(__always)
    func get<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        at version: UInt64? = nil
    ) -> Value? where Value.ID: Sendable {
        // Keeps the core alive, and with it the table.
        defer { withExtendedLifetime(self) {} }
        return tables.unmanagedTable(of: type)?._withUnsafeGuaranteedRef {
            $0.value(id: id, hash: $0.hash(of: id), at: version)
        }
    }

    func count<Value: Identifiable & Sendable>(
        of type: Value.Type,
        at version: UInt64? = nil
    ) -> Int where Value.ID: Sendable {
        tables.existingTable(of: type)?.count(at: version) ?? 0
    }

    /// Calls a closure with each value as of the version of an open snapshot.
    @inlinable
    func forEachValue<Value: Identifiable & Sendable>(
        of type: Value.Type,
        at version: UInt64,
        _ body: (Value.ID, Value) -> Void
    ) where Value.ID: Sendable {
        tables.existingTable(of: type)?.forEachValue(at: version, body)
    }

    /// Runs a closure with the version of a snapshot, which is open until the closure returns.
    @usableFromInline
    func withOpenSnapshot<Result, Failure: Error>(
        _ body: (UInt64) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let version = clock.openSnapshot()
        defer { closeSnapshot(version) }
        return try body(version)
    }

    func closeSnapshot(_ version: UInt64) {
        clock.closeSnapshot(version)
        doDeferredWorkIfIdle()
    }
}
