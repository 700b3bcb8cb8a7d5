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
