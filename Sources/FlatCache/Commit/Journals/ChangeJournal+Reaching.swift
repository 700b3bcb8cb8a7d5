/// An entity that an observation reaches, or will reach after a commit.
package struct ReachedEntity: Hashable, Sendable {
    package let key: CacheKey
    /// The number of relationships that observations follow from the entity.
    package let levels: Int

    package init(key: CacheKey, levels: Int) {
        self.key = key
        self.levels = levels
    }
}

extension ChangeJournal {
    /// Returns the entities that observations will reach through values once the values are stored.
    ///
    /// The method computes the relationships of the values under no lock.
    ///
    /// - Parameter values: The values. Those that no observation reaches are left out.
    package func reached(through values: [Value]) -> [ReachedEntity] {
        if !table.hasRelationships || values.isEmpty { return [] }
        let levels = core.withWriterLock("reached(through:)") { writer in
            values.map { writer.graph.followedLevels(of: CacheKey(Value.self, id: $0.id)) }
        }
        return zip(values, levels).flatMap { reached(through: $0, $1) }
    }

    /// Returns the entities to which a value refers.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - levels: The number of relationships that observations follow from the value's entity.
    package func reached(through value: Value, _ levels: Int) -> [ReachedEntity] {
        if levels <= 0 { return [] }
        let left = levels == .max ? .max : levels - 1
        let keys = table.traits.listedCacheKeys.map { $0(value) }
        let related = keys ?? table.traits.relatedCacheKeys.map { Array($0(value)) } ?? []
        return related.map { ReachedEntity(key: $0, levels: left) }
    }

    /// Returns the keys to which the present value of an entity refers.
    package func presentKeys(of id: Value.ID) -> [CacheKey] {
        guard let value = table.value(id: id, hash: table.hash(of: id), at: nil) else { return [] }
        return reached(through: value, 1).map(\.key)
    }
}

extension CacheAccess {
    /// The number of entities that a method looks up while other writes wait.
    private static var batch: Int { 1_000 }

    /// Returns the entities that memory lacks.
    package func missing(_ entities: [ReachedEntity]) -> [ReachedEntity] {
        var missing: [ReachedEntity] = []
        for start in stride(from: 0, to: entities.count, by: Self.batch) {
            let some = entities[start..<min(start + Self.batch, entities.count)]
            missing += core.withWriterLock("missing(_:)") { _ in
                some.filter { !core.hasValue(of: $0.key) }
            }
        }
        return missing
    }

    /// The entities that observations reach and that memory lacks.
    package var missingObserved: [ReachedEntity] {
        core.withWriterLock("missingObserved") { writer in
            writer.graph.allNodes.map { writer.graph[$0].key }.filter { !core.hasValue(of: $0) }
                .map { ReachedEntity(key: $0, levels: writer.graph.followedLevels(of: $0)) }
        }
    }
}

extension CacheCore {
    /// Returns whether memory holds the entity of a key, under the writers' lock.
    fileprivate func hasValue(of key: CacheKey) -> Bool {
        guard let table = tables.table(withTypeIdentifier: key.typeIdentifier),
            let entry = table.entry(of: key)
        else { return false }
        return table.hasValue(entry)
    }
}

extension WatchGraph {
    /// Returns the number of relationships that observations follow from an entity, or zero if no
    /// observation reaches it.
    fileprivate func followedLevels(of key: CacheKey) -> Int {
        if isEmpty { return 0 }
        guard let node = node(of: key) else { return 0 }
        if self[node].isReached { return .max }
        let levels = self[node].boundedObservers.map {
            $0.observer.following.levelLimit - $0.level
        }
        return levels.max() ?? 0
    }
}
