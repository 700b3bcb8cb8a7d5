extension CachedList {
    /// Stores values as ``CacheType/set(contentsOf:)`` does and makes them the elements of the
    /// list, in their order.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// bestsellers.replace(with: response.books)
    /// ```
    ///
    /// The list forgets the cursors of its pages: ``next`` is then ``NextPage/unknown``. For the
    /// first page of a list that loads its next pages by cursors, use
    /// ``merge(_:after:next:)-(Sequence<Element>,_,_)``.
    ///
    /// - Parameter values: The values. If several have the same identifier, the first one
    ///   determines the position.
    /// - Complexity: O(*n*) in the number of elements before and after.
    public func replace(with values: some Sequence<Element>) {
        // The sequence may run any code, so it's enumerated before the lock is taken.
        let values = Array(values)
        restart("replace(with:) of a list", storing: values, ids: values.map { $0.id })
    }

    /// Makes entities the elements of the list, in their order, whether or not they're stored yet.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// bestsellers.replace(withIDs: [3, 1, 2])
    /// let missing = bestsellers.ids.filter { !cache.contains(Book.self, id: $0) }
    /// ```
    ///
    /// The list forgets the cursors of its pages, as in ``replace(with:)``.
    ///
    /// - Parameter ids: The identifiers of the entities. If an identifier occurs several times, its
    ///   first position counts.
    /// - Complexity: O(*n*) in the number of elements before and after.
    public func replace(withIDs ids: some Sequence<Element.ID>) {
        restart("replace(withIDs:) of a list", ids: Array(ids))
    }

    /// Stores values as ``CacheType/set(contentsOf:)`` does and appends them to the list.
    ///
    /// ```swift
    /// let bestsellers = cache.list("bestsellers", of: Book.self)
    /// bestsellers.append(contentsOf: response.books)
    /// ```
    ///
    /// For the next page of a list that loads its pages by cursors, use
    /// ``merge(_:after:next:)-(Sequence<Element>,_,_)`` or ``loadNext(_:)``.
    ///
    /// - Parameter values: The values. An element that is already in the list keeps its position.
    /// - Complexity: O(*n*) in the number of elements.
    public func append(contentsOf values: some Sequence<Element>) {
        store(values) { ids, new in ids += new }
    }

    /// Stores a value as ``CacheType/set(_:)`` does and inserts it into the list.
    ///
    /// ```swift
    /// let cart = cache.list("cart", of: Book.self)
    /// cart.insert(book, at: 0)
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value. If it's already in the list, it moves.
    ///   - index: The position of the element after the insertion. An index beyond the end means
    ///     the end. A negative index is a programmer error and traps.
    /// - Complexity: O(*n*) in the number of elements.
    public func insert(_ value: Element, at index: Int) {
        store([value]) { ids, _ in Self.place(value.id, at: index, in: &ids) }
    }

    /// Removes an element from the list, but not from the cache.
    ///
    /// ```swift
    /// let cart = cache.list("cart", of: Book.self)
    /// cart.remove(1)
    /// print(cache[Book.self, 1]?.title ?? "")  // The book itself stays.
    /// ```
    ///
    /// - Parameter id: The identifier of the element.
    /// - Returns: `true` if the element was in the list; otherwise, `false`.
    /// - Complexity: O(*n*) in the number of elements.
    @discardableResult
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
    /// ```swift
    /// let cart = cache.list("cart", of: Book.self)
    /// cart.removeAll()
    /// print(cart.ids, cache.count(of: Book.self))  // The books stay in the cache.
    /// ```
    ///
    /// ``next`` is then ``NextPage/unknown``.
    public func removeAll() {
        restart("removeAll() of a list", ids: [])
    }

    /// Moves an element of the list.
    ///
    /// ```swift
    /// let cart = cache.list("cart", of: Book.self)
    /// cart.move(1, to: 0)
    /// ```
    ///
    /// - Parameters:
    ///   - id: The identifier of the element.
    ///   - index: The position of the element after the move. An index beyond the end means the
    ///     end. A negative index is a programmer error and traps.
    /// - Returns: `true` if the element was in the list; otherwise, `false`.
    /// - Complexity: O(*n*) in the number of elements.
    @discardableResult
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
    @usableFromInline
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

    @usableFromInline
    static func place(_ id: Element.ID, at index: Int, in ids: inout [Element.ID]) {
        precondition(index >= 0, "An element cannot be placed at \(index): use zero or more.")
        ids.removeAll { $0 == id }
        ids.insert(id, at: min(index, ids.count))
    }
}
