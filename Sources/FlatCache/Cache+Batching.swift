extension Cache {
    /// Runs a closure whose writes become one commit.
    ///
    /// ```swift
    /// cache.performBatchUpdates { batch in
    ///     batch.set(contentsOf: response.books)
    ///     batch.set(contentsOf: response.authors)
    /// }
    /// ```
    ///
    /// All of it becomes visible to every thread at one instant; if the closure throws, none of it
    /// ever does. Each observer is called at most once, with the final value, and not at all if
    /// what it observes has ended as it was.
    ///
    /// A batch inside a batch joins it: its writes become visible with the outer one's. If the
    /// inner closure throws and the outer one catches that, the inner one's writes alone are taken
    /// back.
    ///
    /// ## Concurrency
    /// The closure runs at once, on the calling thread, under the writers' lock: other writers wait
    /// for it, readers don't. Reading the cache or a handle inside it shows the state before the
    /// batch; the batch itself shows its own writes. Writing to the cache or through a handle
    /// inside it, on the same thread, joins the batch. Don't wait inside it for a thread that
    /// writes.
    ///
    /// - Parameter updates: Writes to the batch, which is valid until the closure returns.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    @discardableResult
    public func performBatchUpdates<Result, Failure: Error>(
        _ updates: (CacheBatch) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try core.performBatchUpdates(updates, completion: nil)
    }

    /// Runs a closure whose writes become one commit, and another one when the observers of that
    /// commit have been called.
    ///
    /// See ``performBatchUpdates(_:)``.
    ///
    /// - Parameters:
    ///   - updates: Writes to the batch, which is valid until the closure returns.
    ///   - completion: Called once, where the cache calls its observers, under no lock: after the
    ///     observers of this commit and of all earlier ones that have no delivery of their own. Those
    ///     that have one, such as with `isolation:`, may be called later: ``settled()`` waits for all.
    ///     The completion is also called if the batch has changed nothing, but not if it has thrown.
    ///     For a batch inside a batch it follows the outer one, unless that throws.
    /// - Returns: What the first closure returns.
    /// - Throws: What the first closure throws.
    @discardableResult
    public func performBatchUpdates<Result, Failure: Error>(
        _ updates: (CacheBatch) throws(Failure) -> Result,
        completion: @escaping @Sendable () -> Void
    ) throws(Failure) -> Result {
        try core.performBatchUpdates(updates, completion: completion)
    }
}
