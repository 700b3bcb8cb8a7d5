extension Cache {
    /// Removes every value that no observation reaches over relationships, at any depth, in one
    /// commit.
    ///
    /// An observation whose reach is limited with ``RelationshipDepth`` keeps what it reaches, and a token
    /// of ``pin(_:id:)`` the entity that it pins. Handles keep nothing: one whose value has been
    /// removed reads `nil`. Nor does it keep anything to observe a whole type. Lists and aliases
    /// are kept, with what they refer to, while they are observed; else they go, and count among
    /// what was removed.
    ///
    /// - Returns: How many values were removed.
    /// - Complexity: O(*n*) in the number of values.
    @discardableResult
    public func pruneUnobservedValues() -> Int {
        core.pruneUnobservedValues()
    }
}
