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
/// A list can consist of pages, which an endpoint returns by cursors.
/// ``merge(_:after:next:)-(Sequence<Element>,_,_)`` merges a page, and ``loadNext(_:)`` loads the
/// next one. See <doc:Pages>. Observers of a list are also notified if only ``next`` changes.
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
    public let pinsElements: Bool

    @usableFromInline let core: CacheCore
    /// The table of the elements, which was created in the client's module if it's new.
    @usableFromInline let table: Table<Element>
    /// The handle to the stored state of the list.
    @usableFromInline let state: Cached<ListState<Element>>
    /// The batch whose writes the list shows, or `nil` if it shows commits.
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
    /// Setting this property changes the order, the elements, or both. If an identifier occurs
    /// several times, its first position counts. To derive the new identifiers from the current
    /// ones, use ``update(_:)``.
    public var ids: [Element.ID] {
        @inlinable get {
            if let batch { return batch.checked { ids(in: $0) } }
            return state.value?.ids ?? []
        }
        @inlinable set { update { $0 = newValue } }
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
    /// The values include stale ones, unless the list belongs to a batch.
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
    /// Stale values are omitted. To read from a cache, use ``elements``, whose values come from one
    /// consistent state.
    ///
    /// - Parameter cache: The batch or the snapshot to read from.
    /// - Complexity: O(*n*) in the number of elements.
    @inlinable
    public func elements(in cache: some ReadableCache) -> [Element] {
        ids(in: cache).compactMap { cache.get(Element.self, id: $0) }
    }

    /// Calls a closure with the values of the elements whenever the order, an element, or anything
    /// that an element refers to changes.
    ///
    /// ## Concurrency
    /// As for ``Cache/observe(_:id:initial:following:delivery:_:)``, the closure is called once per
    /// commit. The values are the latest ones at the time of the call, all from one state. If other
    /// commits have followed by then, each of them still causes a call of its own. Calls that are
    /// due when the cache is deallocated aren't made, since its values no longer exist.
    ///
    /// - Parameters:
    ///   - initial: A Boolean value that indicates whether the closure is also called when the
    ///     observation begins.
    ///   - following: The depth to which the relationships of the elements are followed. With
    ///     ``RelationshipDepth/none``, only the order and the elements themselves are observed.
    ///   - delivery: The delivery of the calls.
    ///   - body: A closure that receives the values of the existing elements, in their order.
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
            // A list that was removed with its cache isn't reported as empty.
            if !core.isClosed { body(elements) }
        }
    }

    /// Calls a closure with each change to the order, to an element, or to anything that an element
    /// refers to.
    ///
    /// The observation reads no elements, so a change to one of many elements costs as much as
    /// notifying an observer of that element alone.
    ///
    /// ## Concurrency
    /// See ``Cache/observeChanges(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - following: The depth to which the relationships of the elements are followed. With
    ///     ``RelationshipDepth/none``, only the order and the elements themselves are observed.
    ///   - delivery: The delivery of the calls.
    ///   - body: A closure that receives each change.
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
    /// Stores values as ``Cache/set(contentsOf:)`` does and makes them the elements of the list, in
    /// their order.
    ///
    /// The list forgets the cursors of its pages: ``next`` is then ``NextPage/unknown``. For the
    /// first page of a list that loads its next pages by cursors, use
    /// ``merge(_:after:next:)-(Sequence<Element>,_,_)``.
    ///
    /// - Parameter values: The values. If several have the same identifier, the first one
    ///   determines the position.
    /// - Complexity: O(*n*) in the number of elements before and after.
    @inlinable
    public func replace(with values: some Sequence<Element>) {
        // The sequence may run any code, so it's enumerated before the lock is taken.
        let values = Array(values)
        restart("replace(with:) of a list", storing: values, ids: values.map { $0.id })
    }

    /// Makes entities the elements of the list, in their order, whether or not they're stored yet.
    ///
    /// The list forgets the cursors of its pages, as in ``replace(with:)``.
    ///
    /// - Parameter ids: The identifiers of the entities. If an identifier occurs several times, its
    ///   first position counts.
    /// - Complexity: O(*n*) in the number of elements before and after.
    @inlinable
    public func replace(withIDs ids: some Sequence<Element.ID>) {
        restart("replace(withIDs:) of a list", ids: Array(ids))
    }

    /// Stores values as ``Cache/set(contentsOf:)`` does and appends them to the list.
    ///
    /// For the next page of a list that loads its pages by cursors, use
    /// ``merge(_:after:next:)-(Sequence<Element>,_,_)`` or ``loadNext(_:)``.
    ///
    /// - Parameter values: The values. An element that is already in the list keeps its position.
    /// - Complexity: O(*n*) in the number of elements.
    @inlinable
    public func append(contentsOf values: some Sequence<Element>) {
        store(values) { ids, new in ids += new }
    }

    /// Stores a value as ``Cache/set(_:)`` does and inserts it into the list.
    ///
    /// - Parameters:
    ///   - value: The value. If it's already in the list, it moves.
    ///   - index: The position of the element after the insertion. An index beyond the end means
    ///     the end. A negative index is a programmer's error and traps.
    /// - Complexity: O(*n*) in the number of elements.
    @inlinable
    public func insert(_ value: Element, at index: Int) {
        store([value]) { ids, _ in Self.place(value.id, at: index, in: &ids) }
    }

    /// Removes an element from the list, but not from the cache.
    ///
    /// - Parameter id: The identifier of the element.
    /// - Returns: `true` if the element was in the list; otherwise, `false`.
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

    /// Removes all elements from the list, but not from the cache, and forgets the cursors of its
    /// pages.
    ///
    /// ``next`` is then ``NextPage/unknown``.
    @inlinable
    public func removeAll() {
        restart("removeAll() of a list", ids: [])
    }

    /// Moves an element of the list.
    ///
    /// - Parameters:
    ///   - id: The identifier of the element.
    ///   - index: The position of the element after the move. An index beyond the end means the
    ///     end. A negative index is a programmer's error and traps.
    /// - Returns: `true` if the element was in the list; otherwise, `false`.
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

    /// Changes the identifiers in place, in an atomic read, modification and write.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// bestsellers.update { $0.sort() }
    /// ```
    ///
    /// Writes that the closure makes to the cache belong to the same commit. A write to this list
    /// is overwritten by the closure's result, so change the argument instead. If the closure
    /// throws an error, all of these writes are rolled back.
    ///
    /// ## Concurrency
    /// The closure runs on the calling thread, before this method returns, under the writers' lock:
    /// other writers wait for it, readers don't.
    ///
    /// - Parameter body: A closure that changes the identifiers. If an identifier then occurs
    ///   several times, its first position counts.
    /// - Returns: The closure's result, or `nil` if the cache has been deallocated, in which case
    ///   the closure isn't called.
    /// - Throws: The error that the closure throws.
    /// - Complexity: O(*n*) in the number of elements.
    @discardableResult
    @inlinable
    public func update<Result, Failure: Error>(
        _ body: (inout [Element.ID]) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        batch?.check()
        if core.isClosed { return nil }
        return try core.write("update(_:) of a list", asSavepoint: true) { _ throws(Failure) in
            var ids = writtenState.ids
            let result = try body(&ids)
            // The closure may have written to this list.
            let written = writtenState
            if ids != written.ids {
                _ = core.set(written.edited(to: ids, pinsElements: pinsElements))
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
        // The sequence may run any code, so it's enumerated before the lock is taken.
        let values = Array(values)
        update { ids in
            _ = core.set(contentsOf: values)
            change(&ids, values.map { $0.id })
        }
    }

    @inlinable
    static func place(_ id: Element.ID, at index: Int, in ids: inout [Element.ID]) {
        precondition(index >= 0, "An element cannot be placed at \(index): use zero or more.")
        ids.removeAll { $0 == id }
        ids.insert(id, at: min(index, ids.count))
    }
}

extension CachedList: CustomStringConvertible {
    /// The name of the list and the type of its elements, such as
    /// `CachedList "bestsellers" of Book`.
    public var description: String { "CachedList \(String(reflecting: name)) of \(Element.self)" }
}
