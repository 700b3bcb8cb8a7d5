extension Cache {
    /// Calls a closure with an entity's value after each commit that changes the entity or anything
    /// that it refers to at any depth.
    ///
    /// ```swift
    /// let observation = cache.observe(Book.self, id: 1, initial: true) { print($0.title) }
    /// cache.update(Author.self, id: "le-guin") { $0.name = "U. K. Le Guin" }  // also calls it
    /// observation.dispose()
    /// ```
    ///
    /// The closure receives the value that the commit left, even if a later commit has replaced it
    /// by the time of the call. When a value becomes stale, the closure is called with that same
    /// value. Neither the entity nor the entities that it refers to need to exist yet. A removal
    /// leaves no value, so the closure isn't called: to observe removals, use
    /// ``observeChanges(_:id:initial:following:delivery:_:)``.
    ///
    /// ## Concurrency
    /// The closure is called under no lock, once per commit and in commit order. The cache makes
    /// one call at a time, and within one commit calls observers in the order of their
    /// registration. The committing thread calls the closure before its write returns. If another
    /// thread or a callback further up the stack is already delivering, that one may call it
    /// instead. The closure may read, write and observe: its writes are committed at once, and
    /// their notifications follow after it returns.
    ///
    /// Registration waits for no other thread. The observation starts from a version that is
    /// visible during this call. The initial call shows that version, and all later commits notify
    /// the observer after the initial call.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    ///   - initial: If `true`, the closure is also called with the current value, if there is one.
    ///     The initial call is delivered like all others: normally before this method returns. If
    ///     another thread is delivering, that thread makes it. If this method is called inside a
    ///     callback or a batch, it's made afterwards.
    ///   - following: The depth to which the observation follows the entity's relationships.
    ///   - delivery: The delivery that decides where and when the cache calls the closure.
    ///   - body: A closure that receives the value as of the commit.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    @inlinable
    public func observe<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> Disposable where Value.ID: Sendable {
        core.observe(
            id,
            in: core.tables.table(of: type),
            initial: CacheCore.InitialCall(initial),
            following: following,
            wantsCauses: false,
            delivery: delivery
        ) { change in
            if let value = change.new { body(value) }
        }
    }

    /// Calls a closure after each commit that changes the entity that a value identifies, or
    /// anything that this entity refers to at any depth.
    ///
    /// See ``observe(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - value: A value with the entity's identifier; it is not stored.
    ///   - initial: If `true`, the closure is also called with the current value, if there
    ///     is one.
    ///   - following: The depth to which the observation follows the entity's relationships.
    ///   - delivery: The delivery that decides where and when the cache calls the closure.
    ///   - body: A closure that receives the value as of the commit.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    @inlinable
    public func observe<Value: Identifiable & Sendable>(
        _ value: Value,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> Disposable where Value.ID: Sendable {
        observe(
            Value.self,
            id: value.id,
            initial: initial,
            following: following,
            delivery: delivery,
            body
        )
    }

    /// Calls a closure with each change to an entity or to anything that it refers to at any depth,
    /// removals included.
    ///
    /// ```swift
    /// let observation = cache.observeChanges(Book.self, id: 1) { change in
    ///     if change.kind.isRemoval { print("The book was removed") }
    /// }
    /// observation.dispose()
    /// ```
    ///
    /// If the entity itself changes, the kind of the change is `.inserted`, `.updated`, `.removed`
    /// or `.becameStale`. If only something that it refers to changes, the kind is `.related`.
    ///
    /// ## Concurrency
    /// As for ``observe(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    ///   - initial: If `true`, the closure is also called with the current value, if there
    ///     is one, as if it had just been inserted.
    ///   - following: The depth to which the observation follows the entity's relationships.
    ///   - delivery: The delivery that decides where and when the cache calls the closure.
    ///   - body: A closure that receives each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    @inlinable
    public func observeChanges<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (EntityChange<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        core.observe(
            id,
            in: core.tables.table(of: type),
            initial: CacheCore.InitialCall(initial),
            following: following,
            wantsCauses: true,
            delivery: delivery,
            body
        )
    }

    /// Calls a closure with each change to the entity that a value identifies, or to anything that
    /// this entity refers to at any depth, removals included.
    ///
    /// See ``observeChanges(_:id:initial:following:delivery:_:)``.
    ///
    /// - Parameters:
    ///   - value: A value with the entity's identifier; it is not stored.
    ///   - initial: If `true`, the closure is also called with the current value, if there
    ///     is one, as if it had just been inserted.
    ///   - following: The depth to which the observation follows the entity's relationships.
    ///   - delivery: The delivery that decides where and when the cache calls the closure.
    ///   - body: A closure that receives each change.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    @inlinable
    public func observeChanges<Value: Identifiable & Sendable>(
        _ value: Value,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (EntityChange<Value>) -> Void
    ) -> Disposable where Value.ID: Sendable {
        observeChanges(
            Value.self,
            id: value.id,
            initial: initial,
            following: following,
            delivery: delivery,
            body
        )
    }
}

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
    /// As for ``observe(_:id:initial:following:delivery:_:)``. Within one commit, observers of a
    /// type and of single entities are called in the common order of their registration.
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
}

extension Cache {
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
