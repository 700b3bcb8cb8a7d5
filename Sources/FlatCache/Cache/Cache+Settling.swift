extension Cache {
    /// Waits until the observers of all earlier commits have been called.
    ///
    /// ```swift
    /// cache.set(book)
    /// await cache.settled()
    /// // Every observer of the book has received it, wherever it is called.
    /// ```
    ///
    /// A call of `set` returns after the calls of all inline observers, unless another thread was
    /// delivering. Observers on an actor or a queue are called later. This method returns when both
    /// kinds have received all commits whose calls had returned before this call, and when the
    /// completions of those batches have run. A sequence counts as notified when its buffer
    /// contains the element.
    ///
    /// A task that a sequence has resumed may commit while the thread that resumed it still
    /// delivers, and that thread then calls the observers of the commit. After this method has
    /// returned, the task's next commit calls its inline observers before it returns, unless other
    /// threads write.
    ///
    /// If a delivery never runs its closure, this method returns only when the task is cancelled.
    ///
    /// ## Concurrency
    /// An observer must not wait for code that awaits this method.
    public func settled() async { await core.settled() }
}
