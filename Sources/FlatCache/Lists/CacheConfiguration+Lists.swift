extension CacheConfiguration {
    /// Makes lists drop entities that are removed, in the commit that removes them.
    ///
    /// ```swift
    /// var configuration = CacheConfiguration()
    /// configuration.dropRemovedElements(of: Book.self)
    /// let cache = Cache(configuration: configuration)
    /// let cart = cache.list("cart", of: Book.self)
    /// cart.replace(with: books)
    /// cache.remove(Book.self, id: books[0].id)
    /// print(cart.ids.count == books.count - 1)  // true
    /// ```
    ///
    /// Without this declaration, a list keeps the identifier of a removed entity, and shows the
    /// entity again if it's stored again.
    ///
    /// - A list drops entities that are removed explicitly, with their type or with their owner
    ///   (``OwnsCachedValues``), whether or not memory held their values. Entities that are
    ///   evicted, expired or pruned keep their places, since they can be loaded again.
    /// - In a batch, the lists drop the removed entities when the batch ends. An entity that the
    ///   batch stores again keeps its place.
    /// - The pages and cursors of the list remain valid. If an entity is removed while
    ///   ``CachedList/loadNext(_:)`` loads a page that contains it, the list doesn't get it.
    /// - A durable list that isn't in memory when an element is removed keeps the identifier.
    ///
    /// A later call for the same type replaces the closure of an earlier one.
    ///
    /// ## Concurrency
    /// The cache calls `isIncluded` under the writers' lock. It must depend on its argument alone,
    /// and must not use the cache.
    ///
    /// - Parameters:
    ///   - type: The type of the lists' elements.
    ///   - isIncluded: A closure that returns whether the list with a name drops removed entities.
    ///     By default, all lists of the type do.
    /// - Complexity: A commit that removes entities of the type explicitly takes O(*n*) more time,
    ///   in the number of elements of these lists. Remove many entities in one batch.
    public mutating func dropRemovedElements<Element: Identifiable & Sendable>(
        of type: Element.Type,
        fromLists isIncluded: @escaping @Sendable (_ name: String) -> Bool = { _ in true }
    ) where Element.ID: Sendable {
        listDroppings[ObjectIdentifier(type)] = { $0.drop(by: ListDropping<Element>(isIncluded)) }
    }
}
