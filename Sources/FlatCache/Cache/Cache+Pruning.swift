extension Cache {
    /// Removes all values that no observation reaches over relationships, at any depth, in one
    /// commit.
    ///
    /// ```swift
    /// let observation = cache.observe(Book.self, id: 1) { print($0.title) }
    /// cache.pruneUnobservedValues()  // Leaves the book, its author and its publisher.
    /// observation.dispose()
    /// ```
    ///
    /// An observation with a limited ``RelationshipDepth`` protects the values within that depth,
    /// and a token of ``pin(_:id:)`` protects the pinned entity. Handles and observations of a
    /// whole type protect nothing: a handle to a removed value reads `nil`. An observed list or
    /// alias stays, together with the entities that it refers to. Other lists and aliases are
    /// removed and count among the removed values. A query that is kept current protects the
    /// elements that it shows if it was created with `pinsElements: true`, and otherwise none.
    ///
    /// - Returns: The number of removed values.
    /// - Complexity: O(*n*) in the number of values.
    @discardableResult
    public func pruneUnobservedValues() -> Int {
        core.pruneUnobservedValues()
    }
}
