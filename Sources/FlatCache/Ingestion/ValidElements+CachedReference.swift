extension ValidElements: CachedReference where Element: CachedReference {
    /// Inserts the keys of the valid elements.
    ///
    /// - Parameter keys: The set of the keys.
    /// - Complexity: O(*n*) in the number of elements.
    public func insertCacheKeys(into keys: inout Set<CacheKey>) {
        for element in self { element.insertCacheKeys(into: &keys) }
    }
}
