/// A handle to a named, ordered list of entities of a cache, such as the pages of a feed or the
/// results of a search.
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
/// The list has identifiers, each once; the values are the cache's, each of which several lists may
/// show. An identifier whose value is not there is passed over by ``elements``, and counts again when
/// the value arrives.
///
/// The cache stores a list like a value, which refers to its elements: `removeAll()` removes it,
/// and `pruneUnobservedValues()` unless it is observed; while it is, its elements stay, too. In a
/// cache that has a ``CacheLimit`` or an ``CacheExpiration`` for any type, elements are neither evicted
/// nor removed when they expire while a list has them that pins them, as lists do unless told not
/// to. Two lists of one name that hold different types are different lists.
///
/// A list that a ``CacheBatch`` returns shows what the batch has written so far, and is valid until the
/// batch's closure returns. ``elements(in:)`` reads the list of a snapshot.
///
/// ## Concurrency
/// A handle may be used on any thread and keeps neither the list nor the cache. Each call that writes
/// is one commit, or part of the batch inside whose closure it is called. When the cache has gone, the
/// list is empty, and writing does nothing.
public final class CachedList<Element: Identifiable & Sendable>: Identifiable, Sendable
where Element.ID: Sendable {
    /// The name of the list.
    public let name: String

    /// Whether a change through this handle makes the list one that pins its elements, or one that
    /// doesn't.
    ///
    /// Without a change through it the list stays as it is.
    public let pinsElements: Bool

    @usableFromInline let core: CacheCore
    /// The table of the elements: if it is new, it has been created in the client's module.
    @usableFromInline let table: Table<Element>
    /// The handle to what the cache stores of the list itself.
    @usableFromInline let state: Cached<ListState<Element>>
    /// The batch that the list has been asked for in, whose writes it shows.
    @usableFromInline let batch: BatchReference?

    @inlinable
    init(
        name: String,
        pinsElements: Bool = true,
        core: CacheCore,
        table: Table<Element>,
        batch: BatchReference? = nil
    ) {
        self.name = name
        self.pinsElements = pinsElements
        self.core = core
        self.table = table
        self.batch = batch
        state = Cached(id: name, core: core)
    }

    /// The name of the list.
    public var id: String { name }

    /// The identifiers of the elements, in their order.
    ///
    /// Setting them gives the list another order, other elements, or both; of an identifier that comes
    /// several times the first counts. To change them depending on what they are use ``update(_:)``.
    public var ids: [Element.ID] {
        @inlinable get {
            if let batch { return batch.checked { ids(in: $0) } }
            return state.value?.ids ?? []
        }
        @inlinable set { update { $0 = newValue } }
    }

    /// Returns the identifiers of the elements, in their order, as a cache, a batch or a snapshot has
    /// them.
    ///
    /// - Parameter cache: The cache, the batch or the snapshot to read from.
    @inlinable
    public func ids(in cache: some ReadableCache) -> [Element.ID] {
        cache.get(ListState<Element>.self, id: name)?.ids ?? []
    }

    /// The values of the elements that are there, in their order, all from one consistent state.
    ///
    /// Stale ones are among them.
    ///
    /// - Complexity: O(*n*) in the number of elements.
    @inlinable public var elements: [Element] {
        if let batch { return batch.checked { elements(in: $0) } }
        let found = core.withOpenSnapshot { version in
            let ids = core.get(ListState<Element>.self, id: name, at: version)?.ids ?? []
            return ids.compactMap { core.get(Element.self, id: $0, at: version) }
        }
        // A cache that goes meanwhile takes its values along, perhaps only some of these.
        return core.isClosed ? [] : found
    }

    /// Returns the values of the elements that are there, in their order, as a batch or a snapshot has
    /// them.
    ///
    /// From a cache, read ``elements``, which come from one consistent state.
    ///
    /// - Parameter cache: The batch or the snapshot to read from.
    /// - Complexity: O(*n*) in the number of elements.
    @inlinable
    public func elements(in cache: some ReadableCache) -> [Element] {
        ids(in: cache).compactMap { cache.get(Element.self, id: $0) }
    }

    /// Calls a closure with the values of the elements whenever the order, an element, or anything that
    /// an element refers to changes.
    ///
    /// ## Concurrency
    /// As for ``Cache/observe(_:id:initial:following:delivery:_:)``: once per commit. The values are
    /// the latest that are there when the closure is called, all from one state; if other commits have
    /// followed by then, their calls follow, too. Calls that are due when the cache goes are not made:
    /// there are no values any more.
    ///
    /// - Parameters:
    ///   - initial: Whether the closure is called at once.
    ///   - following: How far the relationships of the elements are followed; with ``RelationshipDepth/none``
    ///     the order and the elements themselves are.
    ///   - delivery: Where and when the closure is called.
    ///   - body: Called with the values of the elements that are there, in their order.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: O(*n*) in the number of elements for each call.
    @inlinable
    public func observe(
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable ([Element]) -> Void
    ) -> Disposable {
        core.observe(
            name,
            in: state.table,
            initial: initial ? .always : .never,
            following: following.extendedByOne,
            wantsCauses: false,
            delivery: delivery
        ) { [core, name, table] _ in
            let elements = CachedList(name: name, core: core, table: table).elements
            // The list has gone with its cache: nobody is told that it has become empty.
            if !core.isClosed { body(elements) }
        }
    }

    /// Calls a closure with each change to the order, to an element, or to anything that an element
    /// refers to.
    ///
    /// It looks at no element, so a change to one of many costs what it costs to notify somebody of
    /// that one.
    ///
    /// ## Concurrency
    /// As for ``Cache/observeChanges(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - following: How far the relationships of the elements are followed; with ``RelationshipDepth/none``
    ///     the order and the elements themselves are.
    ///   - delivery: Where and when the closure is called.
    ///   - body: Called with each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    public func observeChanges(
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (ListChange<Element>) -> Void
    ) -> Disposable {
        state.observeChanges(following: following.extendedByOne, delivery: delivery) {
            body(ListChange($0))
        }
    }
}

extension CachedList {
    /// Makes values the elements of the list, in their order, and stores them as
    /// ``Cache/set(contentsOf:)`` does: for a first page.
    ///
    /// - Parameter values: The values; of those with one identifier the first has the place.
    /// - Complexity: O(*n*) in the number of elements before and after.
    @inlinable
    public func replace(with values: some Sequence<Element>) {
        store(values) { ids, new in ids = new }
    }

    /// Makes entities the elements of the list, in their order, whether or not they are stored yet.
    ///
    /// - Parameter ids: The identifiers of the entities; of one that comes several times the first counts.
    /// - Complexity: O(*n*) in the number of elements before and after.
    @inlinable
    public func replace(withIDs ids: some Sequence<Element.ID>) {
        let ids = Array(ids)
        update { $0 = ids }
    }

    /// Puts values at the end of the list, and stores them as ``Cache/set(contentsOf:)`` does: for a
    /// next page.
    ///
    /// - Parameter values: The values. One that is in the list already keeps its place.
    /// - Complexity: O(*n*) in the number of elements.
    @inlinable
    public func append(contentsOf values: some Sequence<Element>) {
        store(values) { ids, new in ids += new }
    }

    /// Puts a value into the list, and stores it as ``Cache/set(_:)`` does.
    ///
    /// - Parameters:
    ///   - value: The value. One that is in the list already moves.
    ///   - index: The place that it has afterwards; one beyond the end means the end.
    /// - Complexity: O(*n*) in the number of elements.
    @inlinable
    public func insert(_ value: Element, at index: Int) {
        store([value]) { ids, _ in Self.place(value.id, at: index, in: &ids) }
    }

    /// Takes an element out of the list, but not out of the cache.
    ///
    /// - Parameter id: The identifier of the element.
    /// - Returns: Whether it was in the list.
    /// - Complexity: O(*n*) in the number of elements.
    @discardableResult
    @inlinable
    public func remove(_ id: Element.ID) -> Bool {
        update { ids in
            guard let index = ids.firstIndex(of: id) else { return false }
            ids.remove(at: index)
            return true
        } ?? false
    }

    /// Takes all elements out of the list, but not out of the cache.
    @inlinable
    public func removeAll() {
        update { $0 = [] }
    }

    /// Moves an element of the list.
    ///
    /// - Parameters:
    ///   - id: The identifier of the element.
    ///   - index: The place that it has afterwards; one beyond the end means the end.
    /// - Returns: Whether it was in the list.
    /// - Complexity: O(*n*) in the number of elements.
    @discardableResult
    @inlinable
    public func move(_ id: Element.ID, to index: Int) -> Bool {
        update { ids in
            guard ids.contains(id) else { return false }
            Self.place(id, at: index, in: &ids)
            return true
        } ?? false
    }

    /// Changes the identifiers in place: an atomic read, modification and write.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// bestsellers.update { $0.sort() }
    /// ```
    ///
    /// What the closure writes to the cache belongs to the same commit. What it writes to this list is
    /// overwritten by the identifiers that it leaves: change those instead. If it throws, nothing of
    /// all that remains.
    ///
    /// ## Concurrency
    /// The closure runs at once, on the calling thread, under the writers' lock: other writers wait for
    /// it, readers don't.
    ///
    /// - Parameter body: Changes the identifiers. Of one that comes several times then the first counts.
    /// - Returns: What the closure returns, or `nil` if the cache has gone; the closure was not called
    ///   then.
    /// - Throws: What the closure throws.
    /// - Complexity: O(*n*) in the number of elements.
    @discardableResult
    @inlinable
    public func update<Result, Failure: Error>(
        _ body: (inout [Element.ID]) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        batch?.check()
        if core.isClosed { return nil }
        return try core.write("update(_:) of a list", asUnit: true) { _ throws(Failure) in
            var ids = state.table.writtenValue(id: name)?.ids ?? []
            let result = try body(&ids)
            if ids != state.table.writtenValue(id: name)?.ids ?? [] {
                _ = core.set(
                    ListState<Element>(id: name, ids: ids, pinsElements: pinsElements)
                )
            }
            return result
        }
    }

    /// Stores values and changes the identifiers, in one commit.
    @inlinable
    func store(
        _ values: some Sequence<Element>,
        _ change: (inout [Element.ID], _ new: [Element.ID]) -> Void
    ) {
        // The sequence may run any code, so it is gone through before the lock is taken.
        let values = Array(values)
        update { ids in
            _ = core.set(contentsOf: values)
            change(&ids, values.map { $0.id })
        }
    }

    @inlinable
    static func place(_ id: Element.ID, at index: Int, in ids: inout [Element.ID]) {
        precondition(index >= 0, "An element cannot be placed at \(index): count from zero.")
        ids.removeAll { $0 == id }
        ids.insert(id, at: min(index, ids.count))
    }
}

extension CachedList: CustomStringConvertible {
    /// The name of the list and the type of its elements, such as `CachedList "bestsellers" of Book`.
    public var description: String { "CachedList \(String(reflecting: name)) of \(Element.self)" }
}
