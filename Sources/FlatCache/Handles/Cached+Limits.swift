extension Cached {
    /// The state of the entity: missing, fresh or stale.
    ///
    /// Reading this property doesn't count as a read of the value.
    ///
    /// ## Concurrency
    /// Waits for no writer.
    public var state: CachedState {
        core.isClosed ? .missing : table.state(of: id)
    }

    /// Protects the entity from eviction, pruning, and removal on expiry, whether or not it exists
    /// yet.
    ///
    /// See ``Cache/pin(_:id:)``. The entity remains pinned after the handle is released.
    ///
    /// - Returns: A token that ends the pin when it is disposed of or deallocated.
    public func pin() -> Disposable { core.pin(id, in: table) }
}
