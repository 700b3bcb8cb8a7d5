extension CacheType {
    /// Returns the list of entities that has a name, whether or not it exists yet; what is put into it
    /// through the result is pinned.
    ///
    /// See ``list(_:of:pinsElements:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the list.
    ///   - type: The type of its elements.
    @inlinable
    public func list<Element: Identifiable & Sendable>(
        _ name: String,
        of type: Element.Type
    ) -> CachedList<Element> where Element.ID: Sendable {
        list(name, of: type, pinsElements: true)
    }
}

extension Cache {
    /// Returns a handle to the list of entities that has a name, whether or not it exists yet.
    ///
    /// - Parameters:
    ///   - name: The name of the list.
    ///   - type: The type of its elements.
    ///   - pinsElements: Whether changes through this handle leave a list whose elements are not
    ///     evicted, even if there are more than the ``CacheLimit`` of their type allows, nor removed
    ///     when they expire.
    @inlinable
    public func list<Element: Identifiable & Sendable>(
        _ name: String,
        of type: Element.Type,
        pinsElements: Bool
    ) -> CachedList<Element> where Element.ID: Sendable {
        CachedList(
            name: name,
            pinsElements: pinsElements,
            core: core,
            table: core.tables.table(of: type)
        )
    }
}

extension CacheBatch {
    /// Returns the list of entities that has a name, as the batch leaves it so far.
    ///
    /// ```swift
    /// cache.performBatchUpdates { batch in
    ///     let bestsellers = batch.list("bestsellers", of: Book.self)
    ///     bestsellers.append(contentsOf: books)
    ///     print(bestsellers.ids)  // those of `books` among them
    /// }
    /// ```
    ///
    /// The list is valid until the closure of the batch returns, on its thread.
    ///
    /// - Parameters:
    ///   - name: The name of the list.
    ///   - type: The type of its elements.
    ///   - pinsElements: Whether changes through the result leave a list that pins its elements.
    @inlinable
    public func list<Element: Identifiable & Sendable>(
        _ name: String,
        of type: Element.Type,
        pinsElements: Bool
    ) -> CachedList<Element> where Element.ID: Sendable {
        checkUsable()
        return CachedList(
            name: name,
            pinsElements: pinsElements,
            core: core,
            table: core.tables.table(of: type),
            batch: BatchReference(self)
        )
    }
}
