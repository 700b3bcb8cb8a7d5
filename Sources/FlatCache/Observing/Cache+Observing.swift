extension Cache {
    /// Calls a closure with the changes that each commit makes to the entities of a type.
    ///
    /// ```swift
    /// let observation = cache.observeAll(Book.self) { commit in
    ///     print("\(commit.inserted.count) new, \(commit.removed.count) gone")
    /// }
    /// ```
    ///
    /// Changes to related entities aren't reported. The observation doesn't protect entities from
    /// ``pruneUnobservedValues()``.
    ///
    /// ## Concurrency
    /// As for ``CacheSource/observe(initial:delivery:_:)``. Within one commit, observers of a type
    /// and of sources are called in the common order of their registration.
    ///
    /// - Parameters:
    ///   - type: The type under which the entities are stored.
    ///   - initial: If `true`, the closure is called first with an insertion of each present
    ///     entity, if there are any. No commit is missed between this call and the first commit
    ///     that the closure receives. The calls of commits wait until the present entities are
    ///     collected.
    ///   - delivery: The delivery that decides where and when the cache calls the closure.
    ///   - body: A closure that is called once per commit that changes an entity of the type.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    /// - Complexity: The initial call takes O(*n*) in the number of entities of the type. Each
    ///   commit takes O(*n*) in the number of entities of the type that it changes; all observers
    ///   of the type share the result.
    @inlinable
    public func observeAll<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        initial: Bool = false,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (_ commit: TypeChanges<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        core.observeAll(
            of: core.tables.table(of: type),
            initial: initial,
            delivery: delivery,
            body
        )
    }

    /// Calls a closure on the observing actor with the changes that each commit makes to the
    /// entities of a type.
    ///
    /// ```swift
    /// @MainActor
    /// final class StockScreen {
    ///     private var observation: Disposable?
    ///
    ///     init() {
    ///         observation = cache.observeAll(Book.self, isolation: #isolation) { commit in
    ///             print("\(commit.changes.count) books have changed")
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// ## Concurrency
    /// As for ``CacheSource/observe(isolation:initial:_:)``.
    ///
    /// - Parameters:
    ///   - type: The type under which the entities are stored.
    ///   - actor: The actor that the caller is isolated to: `#isolation`.
    ///   - initial: If `true`, the closure is called first with the present entities.
    ///   - body: A closure that is called once per commit that changes an entity of the type.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    public func observeAll<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        isolation actor: isolated (any Actor)?,
        initial: Bool = false,
        _ body: @escaping (_ commit: TypeChanges<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        let body = IsolatedBody(of: actor, body)
        return observeAll(
            type,
            initial: initial,
            delivery: .isolated(toCaller: actor, of: "observeAll(_:isolation:_:)")
        ) { body($0) }
    }

    /// Returns a sequence of all changes to entities of a type, in commit order.
    ///
    /// The changes of one commit are in the order in which the commit first wrote to the entities.
    /// An iterator returns the changes of all commits after its creation. To maintain a copy of the
    /// type elsewhere, create the iterator before you read the stored values:
    ///
    /// ```swift
    /// var changes = cache.changes(of: Book.self).makeAsyncIterator()
    /// let (books, version) = cache.withSnapshot { ($0.values(of: Book.self), $0.version) }
    /// Task {
    ///     var copy = Dictionary(uniqueKeysWithValues: books.map { ($0.id, $0) })
    ///     while let change = await changes.next() {
    ///         if change.version > version { copy[change.id] = change.new }
    ///     }
    /// }
    /// ```
    ///
    /// The sequence doesn't include changes to entities that an entity refers to, since they don't
    /// change the entity itself.
    ///
    /// - Parameters:
    ///   - type: The type under which the entities are stored.
    ///   - policy: The elements to keep for a consumer that is slower than the commits. With
    ///     `.unbounded`, the consumer receives all of them.
    @inlinable
    public func changes<Value: Identifiable & Sendable>(
        of type: Value.Type,
        buffering policy: BufferingPolicy = .unbounded
    ) -> CacheSequence<EntityChange<Value>> where Value.ID: Sendable {
        core.changes(of: core.tables.table(of: type), buffering: policy)
    }
}
