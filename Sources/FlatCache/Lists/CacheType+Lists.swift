extension CacheType {
    /// Returns a handle to a named list of entities, which pins its elements.
    ///
    /// ```swift
    /// let cart = cache.list("cart", of: Book.self)
    /// cart.append(contentsOf: books)
    /// print(cart.ids)
    /// ```
    ///
    /// The list need not exist yet. See ``list(_:of:pinsElements:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the list.
    ///   - type: The type of its elements.
    public func list<Element: Identifiable & Sendable>(
        _ name: String,
        of type: Element.Type
    ) -> CachedList<Element> where Element.ID: Sendable {
        list(name, of: type, pinsElements: true)
    }
}

extension Cache {
    /// Returns a handle to a named list of entities, which need not exist yet.
    ///
    /// ```swift
    /// // The results of a search can be evicted. The books in the cart can't.
    /// let results = cache.list("search: earthsea", of: Book.self, pinsElements: false)
    /// results.replace(with: books)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the list.
    ///   - type: The type of its elements.
    ///   - pinsElements: A Boolean value that indicates whether changes through this handle make
    ///     the list pin its elements. Pinned elements are neither evicted, even if their type
    ///     exceeds its ``CacheLimit``, nor removed when they expire.
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
    /// Returns a handle to a named list of entities, which shows the batch's own writes.
    ///
    /// ```swift
    /// cache.performBatchUpdates { batch in
    ///     let bestsellers = batch.list("bestsellers", of: Book.self)
    ///     bestsellers.append(contentsOf: books)
    ///     print(bestsellers.ids)  // those of `books` among them
    /// }
    /// ```
    ///
    /// The list is valid until the batch's closure returns, on the thread that runs it.
    ///
    /// - Parameters:
    ///   - name: The name of the list.
    ///   - type: The type of its elements.
    ///   - pinsElements: A Boolean value that indicates whether changes through the handle make the
    ///     list pin its elements.
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
