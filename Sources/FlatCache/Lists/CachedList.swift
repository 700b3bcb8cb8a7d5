/// A handle to a named, ordered list of entities, such as the pages of a feed or the results of a
/// search.
///
/// ```swift
/// let bestsellers = cache.list("bestsellers", of: Book.self)
/// bestsellers.replace(with: [Book(id: 1, title: "Tehanu"), Book(id: 2, title: "Solaris")])
/// bestsellers.append(contentsOf: [Book(id: 3, title: "Kindred")])
///
/// let observation = bestsellers.observe { books in print(books.map(\.title)) }
/// cache.update(Book.self, id: 2) { $0.title = "Solaris, again" }
/// ```
///
/// The list holds identifiers, each of them once. The values belong to the cache, and several lists
/// may share them. ``elements`` skips an identifier without a value and includes it again when the
/// value arrives.
///
/// The cache stores a list like a value that refers to its elements. `removeAll()` removes the
/// list, and so does `pruneUnobservedValues()` unless the list is observed. Pruning also keeps the
/// elements of an observed list. In a cache that has a ``CacheLimit`` or a ``CacheExpiration`` for
/// any type, a list pins its elements unless ``pinsElements`` is `false`: they are neither evicted
/// nor removed when they expire. Two lists with the same name but different types of elements are
/// different lists.
///
/// A list can consist of pages that an endpoint returns by cursors.
/// ``merge(_:after:next:)-(Sequence<Element>,_,_)`` merges a page, ``loadNext(_:)`` loads the next
/// one, and ``reload(_:)`` loads the shown ones again. ``loading(staleAfter:_:)`` returns a handle
/// that reloads them while it's observed. See <doc:Pages>. Observers of a list are also notified if
/// only ``next`` changes.
///
/// A list that a ``CacheBatch`` returns shows the batch's writes so far and is valid until the
/// batch's closure returns. To read a list from a snapshot, use ``elements(in:)``.
///
/// ## Concurrency
/// A handle may be used on any thread and keeps neither the list nor the cache alive. Each write is
/// one commit, or part of the batch in whose closure it's made. After the cache has been
/// deallocated, the list is empty and writing does nothing.
public final class CachedList<Element: Identifiable & Sendable>: Identifiable, Sendable
where Element.ID: Sendable {
    /// The name of the list.
    public let name: String

    /// A Boolean value that indicates whether changes through this handle make the list pin its
    /// elements.
    ///
    /// The setting takes effect when a write through this handle changes the identifiers.
    ///
    /// For example, a list of favorites can keep its books from eviction.
    public let pinsElements: Bool

    @usableFromInline let core: CacheCore
    /// The table of the elements, created in the client's module if it's new.
    @usableFromInline let table: Table<Element>
    @usableFromInline let storage: Cached<ListState<Element>>
    /// The batch whose writes the list shows, or `nil` if it shows commits.
    @usableFromInline let batch: BatchReference?
    /// The depth to which observations of the list follow the relationships of its elements.
    @usableFromInline let depth: RelationshipDepth

    @inlinable
    init(
        name: String,
        pinsElements: Bool = true,
        core: CacheCore,
        table: Table<Element>,
        batch: BatchReference? = nil,
        following depth: RelationshipDepth = .allRelationships
    ) {
        self.name = name
        self.pinsElements = pinsElements
        self.core = core
        self.table = table
        self.batch = batch
        self.depth = depth
        storage = Cached(id: name, core: core)
    }

    /// The name of the list.
    public var id: String { name }

    /// The identifiers of the elements, in their order.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// print(bestsellers.ids)
    /// bestsellers.ids = [3, 1, 2]
    /// ```
    ///
    /// Setting this property changes the order, the elements, or both. If an identifier occurs
    /// several times, its first position counts. To derive the new identifiers from the current
    /// ones, use ``update(_:)``.
    public var ids: [Element.ID] {
        @inlinable get {
            if let batch { return batch.checked { ids(in: $0) } }
            return storage.value?.ids ?? []
        }
        @inlinable set { update { $0 = newValue } }
        // A change in place starts from the confirmed elements, so that it contains no edits of
        // open layers.
        _modify {
            var access = _CacheAccess(core, .latest)
            if let batch { access = batch.checked(\._access) }
            var ids = access.confirmedValue(of: ListState<Element>.self, id: name)?.ids ?? []
            yield &ids
            self.ids = ids
        }
    }

    /// Returns the identifiers of the elements in a cache, a batch or a snapshot, in their order.
    ///
    /// - Parameter cache: The cache, the batch or the snapshot to read from.
    @inlinable
    public func ids(in cache: some ReadableCache) -> [Element.ID] {
        cache.get(ListState<Element>.self, id: name)?.ids ?? []
    }

    /// The values of the existing elements, in their order, all from one consistent state.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// for book in bestsellers.elements { print(book.title) }
    /// ```
    ///
    /// - Complexity: O(*n*) in the number of elements.
    @inlinable public var elements: [Element] {
        if let batch { return batch.checked { elements(in: $0) } }
        let found = core.withOpenSnapshot { version in
            let ids = core.get(ListState<Element>.self, id: name, at: version)?.ids ?? []
            return ids.compactMap { core.get(Element.self, id: $0, at: version) }
        }
        // A cache that is deallocated meanwhile removes its values, perhaps only some of these.
        return core.isClosed ? [] : found
    }

    /// Returns the values of the existing elements in a batch or a snapshot, in their order.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// cache.withSnapshot { snapshot in
    ///     let books = bestsellers.elements(in: snapshot)
    ///     print(books.count == bestsellers.ids(in: snapshot).count)
    /// }
    /// ```
    ///
    /// To read from a cache, use ``elements``, whose values come from one consistent state.
    ///
    /// - Parameter cache: The batch or the snapshot to read from.
    /// - Complexity: O(*n*) in the number of elements.
    @inlinable
    public func elements(in cache: some ReadableCache) -> [Element] {
        ids(in: cache).compactMap { cache.get(Element.self, id: $0) }
    }
}

extension CachedList: CustomStringConvertible {
    /// The name of the list and the type of its elements, such as
    /// `CachedList "bestsellers" of Book`.
    public var description: String { "CachedList \(String(reflecting: name)) of \(Element.self)" }
}

extension CacheType {
    /// Returns a handle to a named list of entities, whether or not it exists yet.
    ///
    /// ```swift
    /// let cart = cache.list("cart", of: Book.self)
    /// cart.append(contentsOf: books)
    /// print(cart.ids)
    ///
    /// // The results of a search can be evicted. The books in the cart can't.
    /// let results = cache.list("search: earthsea", of: Book.self, pinsElements: false)
    /// results.replace(with: books)
    /// ```
    ///
    /// The list of a batch shows the batch's own writes. It's valid until the batch's closure
    /// returns, on the thread that runs it.
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
        pinsElements: Bool = true
    ) -> CachedList<Element> where Element.ID: Sendable {
        let access = _access
        return CachedList(
            name: name,
            pinsElements: pinsElements,
            core: access.core,
            table: access.core.tables.table(of: type),
            batch: access.batch
        )
    }
}

extension CachedList {
    /// The freshness of the list's oldest element.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// if bestsellers.freshness.isStale { print("Pull to refresh") }
    /// ```
    ///
    /// The list is stale if any of its elements is, since the element that became stale first.
    /// Otherwise, it is fresh since its oldest element was stored, or since an unknown time if the
    /// type of the elements has no lifetimes. Elements without a value don't count, just as
    /// ``elements`` omits them. If no element has a value, the list is missing, unless it's empty:
    /// an empty list is fresh until it's removed. A ``LoadingList`` has a freshness that doesn't
    /// depend on its elements.
    ///
    /// - Complexity: O(*n*) in the number of elements.
    public var freshness: Freshness {
        if let batch { return batch.checked { freshness(in: $0) } }
        if core.isClosed { return .missing }
        return core.withOpenSnapshot { core.withSnapshot(at: $0, freshness(in:)) }
    }

    /// Returns the freshness of the list's oldest element in a cache, a batch or a snapshot.
    ///
    /// See ``freshness``.
    ///
    /// - Parameter cache: The cache, the batch or the snapshot to read from.
    /// - Complexity: O(*n*) in the number of elements.
    public func freshness(in cache: some ReadableCache) -> Freshness {
        guard let ids = cache.get(ListState<Element>.self, id: name)?.ids else { return .missing }
        return Freshness(oldestOf: ids.lazy.map { cache.freshness(of: Element.self, id: $0) })
    }
}

extension Freshness {
    /// Creates the freshness of the oldest of some elements that have values.
    init(oldestOf elements: some Sequence<Freshness>) {
        let elements = Array(elements)
        let oldest = elements.lazy.filter { !$0.isMissing }.min { $0.precedes($1) }
        self = oldest ?? (elements.isEmpty ? .fresh(since: nil) : .missing)
    }

    /// Returns whether a stored value is older than another one.
    private func precedes(_ other: Freshness) -> Bool {
        switch (self, other) {
        case (.stale(let since), .stale(let otherSince)): since < otherSince
        case (.fresh(let since?), .fresh(let otherSince?)): since < otherSince
        case (.stale, _), (.fresh(_?), .fresh(nil)): true
        default: false
        }
    }
}
