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
    /// All writes become visible to every thread at one instant. If the closure throws, none of
    /// them ever does. Each observer is called at most once, with the final value. An observer
    /// isn't called if the batch leaves everything that it observes unchanged.
    ///
    /// A batch inside another batch joins it: the writes of both become visible together. If the
    /// inner closure throws and the outer one catches the error, only the inner writes are rolled
    /// back.
    ///
    /// ## Concurrency
    /// The closure runs at once, on the calling thread, under the writers' lock: other writers wait
    /// for it, readers don't. Inside the closure, the cache and its handles read the state before
    /// the batch, while the batch reads its own writes. Writes to the cache or through a handle
    /// join the batch if they come from the same thread. Don't wait in the closure for another
    /// thread that writes.
    ///
    /// - Parameter updates: A closure that writes to the batch. The batch is valid until the
    ///   closure returns.
    /// - Returns: The closure's result.
    /// - Throws: Any error that the closure throws.
    @discardableResult
    public func performBatchUpdates<Result, Failure: Error>(
        _ updates: (CacheBatch) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try core.performBatchUpdates(updates, completion: nil)
    }

    /// Runs a closure whose writes become one commit, and calls a completion after the observers of
    /// that commit.
    ///
    /// ```swift
    /// cache.performBatchUpdates { batch in
    ///     batch.set(contentsOf: books)
    /// } completion: {
    ///     print("The observers have received the books.")
    /// }
    /// ```
    ///
    /// See ``performBatchUpdates(_:)``.
    ///
    /// - Parameters:
    ///   - updates: A closure that writes to the batch. The batch is valid until the closure
    ///     returns.
    ///   - completion: A closure that the cache calls once, by the cache's own delivery and under
    ///     no lock. The call follows those of the observers of this commit and of all earlier
    ///     commits, except observers with a delivery of their own, such as `isolation:`, which may
    ///     be called later: ``settled()`` waits for all of them. The completion is also called if
    ///     the batch changes nothing, but not if `updates` throws. The completion of a batch inside
    ///     another batch follows the outer batch, and isn't called if the outer batch throws.
    /// - Returns: The result of `updates`.
    /// - Throws: Any error that `updates` throws.
    @discardableResult
    public func performBatchUpdates<Result, Failure: Error>(
        _ updates: (CacheBatch) throws(Failure) -> Result,
        completion: @escaping @Sendable () -> Void
    ) throws(Failure) -> Result {
        try core.performBatchUpdates(updates, completion: completion)
    }
}
