extension Cached {
    /// The freshness of the entity: missing, fresh or stale.
    ///
    /// ```swift
    /// let book = cache.cached(Book.self, id: 1)
    /// if !book.freshness.isFresh { print("needs a reload") }
    /// ```
    ///
    /// See ``Cache/freshness(of:id:)``.
    public var freshness: Freshness { core.freshness(of: id, in: table) }

    /// Protects the entity from eviction, pruning, and removal on expiry, whether or not it exists
    /// yet.
    ///
    /// ```swift
    /// let pin = cache.cached(Book.self, id: 1).pin()
    /// cache.trim(to: .count(0))  // The book stays.
    /// pin.dispose()
    /// ```
    ///
    /// See ``Cache/pin(_:id:)``. The entity remains pinned after the handle is released.
    ///
    /// - Returns: A token that ends the pin when it is disposed of or deallocated.
    public func pin() -> Disposable { core.pin(id, in: table) }
}
