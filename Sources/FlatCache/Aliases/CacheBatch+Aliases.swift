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
    ///   - id: The identifier of the entity, which need not exist yet, or `nil` to point the alias
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
