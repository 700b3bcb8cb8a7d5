extension Cache {
    /// Returns the latest value of the entity that an alias points to, or `nil` if it points
    /// nowhere or the entity has no value.
    ///
    /// The value may be stale. For example, `cache.get(.authorOfTheDay)?.name` is the name of the
    /// author to whom the alias points at present.
    ///
    /// - Parameter alias: The alias.
    /// - Complexity: O(1), with three lookups: the target of the alias, the entity, and the target
    ///   again to check that it's unchanged.
    public func get<Value: Identifiable & Sendable>(_ alias: CachedAlias<Value>) -> Value?
    where Value.ID: Sendable {
        core.value(of: alias)
    }

    /// Returns the identifier of the entity that an alias points to, or `nil` if it points nowhere.
    ///
    /// ```swift
    /// let selected = CachedAlias<Book>("selected")
    /// cache.point(selected, to: 1)
    /// print(cache.id(of: selected) ?? 0)  // 1, whether or not the book is stored
    /// ```
    ///
    /// The entity need not have a value. For example, after
    /// `cache.point(.authorOfTheDay, to: "lem")`, `cache.id(of: .authorOfTheDay)` is `"lem"` even
    /// if no author is stored.
    ///
    /// - Parameter alias: The alias.
    public func id<Value: Identifiable & Sendable>(of alias: CachedAlias<Value>) -> Value.ID?
    where Value.ID: Sendable {
        core.get(AliasState<Value>.self, id: alias.name)?.target
    }

    /// Points an alias to an entity, or to none.
    ///
    /// ```swift
    /// let selected = CachedAlias<Book>("selected")
    /// cache.point(selected, to: 1)
    /// print(cache[selected]?.title ?? "nothing is selected")
    /// ```
    ///
    /// ## Concurrency
    /// The call is one commit, or part of the batch in whose closure it's made.
    ///
    /// - Parameters:
    ///   - alias: The alias.
    ///   - id: The identifier of an entity that need not exist yet, or `nil` to point the alias
    ///     nowhere.
    public func point<Value: Identifiable & Sendable>(
        _ alias: CachedAlias<Value>,
        to id: Value.ID?
    ) where Value.ID: Sendable {
        core.point(alias, to: id)
    }

    /// Stores a value as ``set(_:)`` does and points an alias to it, in one commit.
    ///
    /// ```swift
    /// let selected = CachedAlias<Book>("selected")
    /// cache.set(Book(id: 1, title: "Tehanu"), as: selected)
    /// print(cache[selected]?.title ?? "nothing is selected")  // Tehanu
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value to store.
    ///   - alias: The alias.
    /// - Returns: The value that is stored afterwards.
    @discardableResult
    public func set<Value: Identifiable & Sendable>(
        _ value: Value,
        as alias: CachedAlias<Value>
    ) -> Value where Value.ID: Sendable {
        core.set(value, as: alias)
    }

    /// Calls a closure with the value of the entity that an alias points to, whenever the alias
    /// points elsewhere, or the entity or anything that it refers to changes.
    ///
    /// ```swift
    /// let selected = CachedAlias<Book>("selected")
    /// let observation = cache.observe(selected, initial: true) { print($0?.title ?? "nothing") }
    /// cache.point(selected, to: 1)
    /// cache.point(selected, to: nil)  // prints "nothing"
    /// ```
    ///
    /// ## Concurrency
    /// As for ``observe(_:id:initial:following:delivery:_:)``, the closure is called once per
    /// commit. The value is the latest one at the time of the call. If other commits have followed
    /// by then, each of them still causes a separate call. Calls that are due when the cache is
    /// deallocated aren't made, since its values no longer exist.
    ///
    /// - Parameters:
    ///   - alias: The alias. It may point nowhere yet.
    ///   - initial: A Boolean value that indicates whether the closure is also called when the
    ///     observation begins.
    ///   - following: The depth to which the relationships of the entity are followed.
    ///   - delivery: The delivery of the calls.
    ///   - body: A closure that receives the value, or `nil` if the alias points nowhere or the
    ///     entity has no value.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    public func observe<Value: Identifiable & Sendable>(
        _ alias: CachedAlias<Value>,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (Value?) -> Void
    ) -> Disposable where Value.ID: Sendable {
        // If the table of the entities is new, it's created here, in the client's module.
        _ = core.tables.table(of: Value.self)
        return core.observe(
            alias,
            in: core.tables.table(of: AliasState<Value>.self),
            initial: initial ? .always : .never,
            following: following,
            delivery: delivery,
            body
        )
    }

    /// Returns a sequence of the values of the entity that an alias points to.
    ///
    /// ```swift
    /// for await book in cache.values(CachedAlias<Book>("selected")) {
    ///     print(book?.title ?? "nothing is selected")
    /// }
    /// ```
    ///
    /// The sequence begins with the current value. It continues after each change of the alias, the
    /// entity, or anything that the entity refers to. Its elements are `nil` while the alias points
    /// nowhere or the entity has no value.
    ///
    /// A consumer that is slower than the commits receives the newest value, and never an older
    /// value after a newer one.
    ///
    /// - Parameters:
    ///   - alias: The alias. It may point nowhere yet.
    ///   - following: The depth to which the relationships of the entity are followed.
    public func values<Value: Identifiable & Sendable>(
        _ alias: CachedAlias<Value>,
        following: RelationshipDepth = .allRelationships
    ) -> CacheSequence<Value?> where Value.ID: Sendable {
        _ = core.tables.table(of: Value.self)
        return core.values(
            of: alias,
            in: core.tables.table(of: AliasState<Value>.self),
            following: following
        )
    }

    /// Returns a source of the value of the entity that an alias points to.
    @usableFromInline
    package func stateSource<Value: Identifiable & Sendable>(
        of alias: CachedAlias<Value>,
        following: RelationshipDepth
    ) -> StateSource<Value?> where Value.ID: Sendable {
        // If the table of the entities is new, it's created here, in the client's module.
        _ = core.tables.table(of: Value.self)
        return core.stateSource(
            of: alias,
            in: core.tables.table(of: AliasState<Value>.self),
            following: following
        )
    }
}

extension CacheBatch {
    /// Returns the identifier of the entity that an alias points to, including the batch's own
    /// writes.
    ///
    /// - Parameter alias: The alias.
    public func id<Value: Identifiable & Sendable>(of alias: CachedAlias<Value>) -> Value.ID?
    where Value.ID: Sendable {
        get(AliasState<Value>.self, id: alias.name)?.target
    }

    /// Returns the value of the entity that an alias points to, including the batch's own writes.
    ///
    /// The result is `nil` if the alias points nowhere or the entity has no value.
    ///
    /// - Parameter alias: The alias.
    public func get<Value: Identifiable & Sendable>(_ alias: CachedAlias<Value>) -> Value?
    where Value.ID: Sendable {
        id(of: alias).flatMap { get(Value.self, id: $0) }
    }

    /// Points an alias to an entity, or to none.
    ///
    /// ```swift
    /// cache.performBatchUpdates { batch in
    ///     batch.set(book)
    ///     batch.point(CachedAlias<Book>("selected"), to: book.id)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - alias: The alias.
    ///   - id: The identifier of an entity that need not exist yet, or `nil` to point the alias
    ///     nowhere.
    public func point<Value: Identifiable & Sendable>(
        _ alias: CachedAlias<Value>,
        to id: Value.ID?
    ) where Value.ID: Sendable {
        checkUsable()
        core.point(alias, to: id)
    }

    /// Stores a value as ``set(_:)`` does and points an alias to it.
    ///
    /// - Parameters:
    ///   - value: The value to store.
    ///   - alias: The alias.
    /// - Returns: The value that is stored afterwards.
    @discardableResult
    public func set<Value: Identifiable & Sendable>(
        _ value: Value,
        as alias: CachedAlias<Value>
    ) -> Value where Value.ID: Sendable {
        checkUsable()
        return core.set(value, as: alias)
    }
}

extension CacheSnapshot {
    /// Returns the identifier of the entity that an alias points to in the snapshot.
    ///
    /// - Parameter alias: The alias.
    public func id<Value: Identifiable & Sendable>(of alias: CachedAlias<Value>) -> Value.ID?
    where Value.ID: Sendable {
        get(AliasState<Value>.self, id: alias.name)?.target
    }

    /// Returns the value of the entity that an alias points to in the snapshot.
    ///
    /// The result is `nil` if the alias points nowhere or the entity has no value.
    ///
    /// - Parameter alias: The alias.
    public func get<Value: Identifiable & Sendable>(_ alias: CachedAlias<Value>) -> Value?
    where Value.ID: Sendable {
        id(of: alias).flatMap { get(Value.self, id: $0) }
    }
}
