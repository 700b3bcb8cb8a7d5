extension Cache {
    /// Removes every value that no observation reaches over relationships, at any depth, in one
    /// commit.
    ///
    /// An observation whose reach is limited with ``Following`` keeps what it reaches. Handles keep
    /// nothing: one whose value has been removed reads `nil`.
    ///
    /// - Returns: How many values were removed.
    /// - Complexity: O(*n*) in the number of values.
    @discardableResult
    public func pruneUnobservedValues() -> Int {
        core.pruneUnobservedValues()
    }
}
