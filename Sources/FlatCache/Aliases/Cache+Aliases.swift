extension Cache {
    /// Returns the latest value of the entity that an alias points to, or `nil` if it points nowhere or
    /// there is no value.
    ///
    /// A stale value counts.
    ///
    /// - Parameter alias: The alias.
    @inlinable
    public func get<Value: Identifiable & Sendable>(_ alias: CachedAlias<Value>) -> Value?
    where Value.ID: Sendable {
        core.value(of: alias)
    }

    /// Returns the identifier of the entity that an alias points to, whether or not that is there, or
    /// `nil` if it points nowhere.
    ///
    /// - Parameter alias: The alias.
    @inlinable
    public func id<Value: Identifiable & Sendable>(of alias: CachedAlias<Value>) -> Value.ID?
    where Value.ID: Sendable {
        core.get(AliasState<Value>.self, id: alias.name)?.target
    }

    /// Points an alias to an entity, or nowhere.
    ///
    /// ## Concurrency
    /// One commit, or part of the batch inside whose closure it is called.
    ///
    /// - Parameters:
    ///   - alias: The alias.
    ///   - id: The identifier of the entity, which need not be there yet; `nil` for nowhere.
    @inlinable
    public func point<Value: Identifiable & Sendable>(
        _ alias: CachedAlias<Value>,
        to id: Value.ID?
    ) where Value.ID: Sendable {
        core.point(alias, to: id)
    }

    /// Stores a value as ``set(_:)`` does and points an alias to it, in one commit.
    ///
    /// - Parameters:
    ///   - value: The value to store.
    ///   - alias: The alias.
    /// - Returns: What is stored now.
    @discardableResult
    @inlinable
    public func set<Value: Identifiable & Sendable>(
        _ value: Value,
        as alias: CachedAlias<Value>
    ) -> Value where Value.ID: Sendable {
        core.set(value, as: alias)
    }

    /// Calls a closure with the latest value of the entity that an alias points to, whenever the alias
    /// is pointed elsewhere, or the entity or anything that it refers to changes.
    ///
    /// ## Concurrency
    /// As for ``observe(_:id:initial:following:delivery:_:)``: once per commit. The value is the latest
    /// that is there when the closure is called; if other commits have followed by then, their calls
    /// follow, too. Calls that are due when the cache goes are not made: there is no value any more.
    ///
    /// - Parameters:
    ///   - alias: The alias, which may point nowhere yet.
    ///   - initial: Whether the closure is called at once.
    ///   - following: How far the relationships of the entity are followed.
    ///   - delivery: Where and when the closure is called.
    ///   - body: Called with the value; with `nil` if the alias points nowhere or there is no value.
    /// - Returns: A token that ends the observation when it is disposed of or deallocated.
    @inlinable
    public func observe<Value: Identifiable & Sendable>(
        _ alias: CachedAlias<Value>,
        initial: Bool = false,
        following: RelationshipDepth = .allRelationships,
        delivery: CacheDelivery = .inline,
        _ body: @escaping @Sendable (Value?) -> Void
    ) -> Disposable where Value.ID: Sendable {
        // What the alias points to has a table from here on, created in the client's module.
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

    /// Returns the value of the entity that an alias points to now, and then after each change of where
    /// it points, of the entity, or of what that refers to.
    ///
    /// A consumer that is slower than the commits gets the newest value, never an older one after a
    /// newer one.
    ///
    /// - Parameters:
    ///   - alias: The alias, which may point nowhere yet.
    ///   - following: How far the relationships of the entity are followed.
    @inlinable
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
}

extension CacheBatch {
    /// Returns the identifier of the entity that an alias points to, as the batch leaves it so far.
    ///
    /// - Parameter alias: The alias.
    @inlinable
    public func id<Value: Identifiable & Sendable>(of alias: CachedAlias<Value>) -> Value.ID?
    where Value.ID: Sendable {
        get(AliasState<Value>.self, id: alias.name)?.target
    }

    /// Returns the value of the entity that an alias points to, as the batch leaves both so far.
    ///
    /// - Parameter alias: The alias.
    @inlinable
    public func get<Value: Identifiable & Sendable>(_ alias: CachedAlias<Value>) -> Value?
    where Value.ID: Sendable {
        id(of: alias).flatMap { get(Value.self, id: $0) }
    }

    /// Points an alias to an entity, or nowhere.
    ///
    /// - Parameters:
    ///   - alias: The alias.
    ///   - id: The identifier of the entity, which need not be there yet; `nil` for nowhere.
    @inlinable
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
    /// - Returns: The value that is stored now.
    @discardableResult
    @inlinable
    public func set<Value: Identifiable & Sendable>(
        _ value: Value,
        as alias: CachedAlias<Value>
    ) -> Value where Value.ID: Sendable {
        checkUsable()
        return core.set(value, as: alias)
    }
}

extension CacheSnapshot {
    /// Returns the identifier of the entity that an alias pointed to.
    ///
    /// - Parameter alias: The alias.
    @inlinable
    public func id<Value: Identifiable & Sendable>(of alias: CachedAlias<Value>) -> Value.ID?
    where Value.ID: Sendable {
        get(AliasState<Value>.self, id: alias.name)?.target
    }

    /// Returns the value of the entity that an alias pointed to.
    ///
    /// - Parameter alias: The alias.
    @inlinable
    public func get<Value: Identifiable & Sendable>(_ alias: CachedAlias<Value>) -> Value?
    where Value.ID: Sendable {
        id(of: alias).flatMap { get(Value.self, id: $0) }
    }
}

extension CacheCore {
    @inlinable
    func point<Value: Identifiable & Sendable>(
        _ alias: CachedAlias<Value>,
        to id: Value.ID?
    ) where Value.ID: Sendable {
        if let id {
            // What is pinned has a table from here on, which counts that.
            _ = tables.table(of: Value.self)
            _ = set(AliasState<Value>(id: alias.name, target: id, pinsTarget: alias.pinsTarget))
        } else {
            _ = remove(AliasState<Value>.self, id: alias.name)
        }
    }

    @inlinable
    func set<Value: Identifiable & Sendable>(
        _ value: Value,
        as alias: CachedAlias<Value>
    ) -> Value where Value.ID: Sendable {
        write("set(_:as:)", asUnit: true) { _ in
            point(alias, to: value.id)
            return set(value)
        }
    }

    /// What is there where an alias points.
    ///
    /// The value is read between two looks at the alias that agree, so it is not that of an entity to
    /// which the alias has ceased to point, or does not point yet. A snapshot, which readers would have
    /// to take turns for, would be needed only to tell when it has been pointed elsewhere and back
    /// between the two.
    @inlinable
    func value<Value: Identifiable & Sendable>(
        of alias: CachedAlias<Value>
    ) -> Value? where Value.ID: Sendable {
        var target = get(AliasState<Value>.self, id: alias.name)?.target
        while let found = target {
            let value = get(Value.self, id: found)
            target = get(AliasState<Value>.self, id: alias.name)?.target
            if target == found { return isClosed ? nil : value }
        }
        return nil
    }

    @usableFromInline
    func observe<Value: Identifiable & Sendable>(
        _ alias: CachedAlias<Value>,
        in table: Table<AliasState<Value>>,
        initial: InitialCall,
        following: RelationshipDepth,
        delivery: CacheDelivery,
        _ body: @escaping @Sendable (Value?) -> Void
    ) -> Disposable where Value.ID: Sendable {
        observe(
            alias.name,
            in: table,
            initial: initial,
            following: following.extendedByOne,
            wantsCauses: false,
            delivery: delivery
        ) { [self] _ in
            let value = value(of: alias)
            // The value has gone with its cache: nobody is told that the alias points nowhere.
            if !isClosed { body(value) }
        }
    }

    @usableFromInline
    func values<Value: Identifiable & Sendable>(
        of alias: CachedAlias<Value>,
        in table: Table<AliasState<Value>>,
        following: RelationshipDepth
    ) -> CacheSequence<Value?> where Value.ID: Sendable {
        feed(of: alias, in: table, following: following).sequence
    }

    /// What an alias points to, as the faces of observation need it.
    @usableFromInline
    func feed<Value: Identifiable & Sendable>(
        of alias: CachedAlias<Value>,
        in table: Table<AliasState<Value>>,
        following: RelationshipDepth
    ) -> Feed<Value?> where Value.ID: Sendable {
        Feed { [self] delivery, receive in
            observe(
                alias,
                in: table,
                initial: .always,
                following: following,
                delivery: delivery
            ) { receive(.known($0)) }
        }
    }
}

extension Cache {
    /// What an alias points to, as the faces of observation need it.
    @inlinable
    package func feed<Value: Identifiable & Sendable>(
        of alias: CachedAlias<Value>,
        following: RelationshipDepth
    ) -> Feed<Value?> where Value.ID: Sendable {
        // What the alias points to has a table from here on, created in the client's module.
        _ = core.tables.table(of: Value.self)
        return core.feed(
            of: alias,
            in: core.tables.table(of: AliasState<Value>.self),
            following: following
        )
    }
}
