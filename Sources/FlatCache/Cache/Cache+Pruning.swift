extension Cache {
    /// Removes all values that no observation reaches over relationships, at any depth, in one
    /// commit.
    ///
    /// An observation with a limited ``RelationshipDepth`` protects the values within that depth,
    /// and a token of ``pin(_:id:)`` protects the pinned entity. Handles and observations of a
    /// whole type protect nothing: a handle to a removed value reads `nil`. An observed list or
    /// alias stays, together with the entities that it refers to. Other lists and aliases are
    /// removed and count among the removed values.
    ///
    /// - Returns: The number of removed values.
    /// - Complexity: O(*n*) in the number of values.
    @discardableResult
    public func pruneUnobservedValues() -> Int {
        core.pruneUnobservedValues()
    }
}
