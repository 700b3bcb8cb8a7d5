/// The stored state of an alias: a value that refers to the entity that the alias points to.
@usableFromInline
package struct AliasState<Value: Identifiable & Sendable>: Identifiable, Sendable
where Value.ID: Sendable {
    /// The name of the alias.
    @usableFromInline package let id: String
    /// The identifier of the entity that the alias points to.
    @usableFromInline package let target: Value.ID

    /// `true` if the alias pins the entity.
    @usableFromInline package let pinsTarget: Bool

    @usableFromInline
    package init(id: String, target: Value.ID, pinsTarget: Bool) {
        self.id = id
        self.pinsTarget = pinsTarget
        self.target = target
    }
}

extension AliasState: Equatable {
    @usableFromInline
    package static func == (left: AliasState, right: AliasState) -> Bool {
        left.id == right.id && left.target == right.target && left.pinsTarget == right.pinsTarget
    }
}

extension AliasState: HasCachedRelationships {
    @usableFromInline package var relatedCacheKeys: Set<CacheKey> {
        [CacheKey(Value.self, id: target)]
    }
}

extension AliasState: PinsEntities {
    @usableFromInline var pinnedCacheKeys: Set<CacheKey> { pinsTarget ? relatedCacheKeys : [] }
}

extension CacheCore {
    @usableFromInline
    func point<Value: Identifiable & Sendable>(
        _ alias: CachedAlias<Value>,
        to id: Value.ID?
    ) where Value.ID: Sendable {
        if let id {
            // Creates the table that counts the pins of the entity.
            _ = tables.table(of: Value.self)
            _ = set(AliasState<Value>(id: alias.name, target: id, pinsTarget: alias.pinsTarget))
        } else {
            _ = remove(AliasState<Value>.self, id: alias.name)
        }
    }

    func set<Value: Identifiable & Sendable>(
        _ value: Value,
        as alias: CachedAlias<Value>
    ) -> Value where Value.ID: Sendable {
        write("set(_:as:)", asSavepoint: true) { _ in
            point(alias, to: value.id)
            return set(value)
        }
    }

    /// Returns the value of the entity that an alias points to.
    ///
    /// The function reads the value between two reads of the alias, and starts over until they
    /// agree. The value therefore never belongs to an entity to which the alias no longer points,
    /// or doesn't point yet. A snapshot would detect one more case only, an alias that points
    /// elsewhere and back between the two reads, and readers would have to take turns for it.
    @usableFromInline
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
            // A value that was removed with its cache isn't reported as missing.
            if !isClosed { body(value) }
        }
    }

    @usableFromInline
    func values<Value: Identifiable & Sendable>(
        of alias: CachedAlias<Value>,
        in table: Table<AliasState<Value>>,
        following: RelationshipDepth
    ) -> CacheSequence<Value?> where Value.ID: Sendable {
        stateSource(of: alias, in: table, following: following).sequence
    }

    @usableFromInline
    func stateSource<Value: Identifiable & Sendable>(
        of alias: CachedAlias<Value>,
        in table: Table<AliasState<Value>>,
        following: RelationshipDepth
    ) -> StateSource<Value?> where Value.ID: Sendable {
        StateSource { [self] delivery, receive in
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
