/// The state of a cache, a batch or a snapshot without the edits of open layers.
///
/// ```swift
/// let draft = cache.beginLayer("Draft") { $0.update(Book.self, id: 1) { $0.title = "Tehanu" } }
/// print(cache.confirmed[Book.self, 1]?.title ?? "")  // the title before
/// ```
///
/// Lists, aliases and references can be read from it. Queries can't: reading them traps.
public struct ConfirmedCache<Base: ReadableCache>: ReadableCache {
    let base: Base

    /// The engine of the cache, and the state of the base.
    public var _access: _CacheAccess {
        let access = base._access
        return _CacheAccess(access.core, access.state, isConfirmed: true)
    }

    /// Returns the confirmed value of an entity, or `nil` if it has none.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    public func get<Value: Identifiable & Sendable>(_ type: Value.Type, id: Value.ID) -> Value?
    where Value.ID: Sendable {
        _access.confirmedValue(of: type, id: id)
    }
}

extension _CacheAccess {
    @usableFromInline
    func confirmedValue<Value: Identifiable & Sendable>(
        of type: Value.Type,
        id: Value.ID
    ) -> Value? where Value.ID: Sendable {
        switch state {
        case .latest: core.withOpenSnapshot { core.confirmedValue(of: type, id: id, at: $0) }
        case .snapshot(let version, _): core.confirmedValue(of: type, id: id, at: version)
        case .written: core.tables.existingTable(of: type)?.writtenConfirmedValue(id: id)
        }
    }

    /// Returns all confirmed values of a type, in no particular order.
    @usableFromInline
    func confirmedValues<Value: Identifiable & Sendable>(of type: Value.Type) -> [Value]
    where Value.ID: Sendable {
        guard let table = core.tables.existingTable(of: type) else { return [] }
        return switch state {
        case .latest: core.withOpenSnapshot { core.confirmedValues(in: table, at: $0) }
        case .snapshot(let version, _): core.confirmedValues(in: table, at: version)
        case .written: table.writtenConfirmedValues
        }
    }
}

extension CacheCore {
    /// Returns the value of an entity without the edits of layers, as of an open snapshot.
    package func confirmedValue<Value: Identifiable & Sendable>(
        of type: Value.Type,
        id: Value.ID,
        at version: UInt64
    ) -> Value? where Value.ID: Sendable {
        let state = get(ConfirmedState.self, id: CacheKey(type, id: id), at: version)
        return state.map { $0.value?.typed() } ?? get(type, id: id, at: version)
    }

    func confirmedValues<Value: Identifiable & Sendable>(
        in table: Table<Value>,
        at version: UInt64
    ) -> [Value] where Value.ID: Sendable {
        var values: [Value] = []
        var covered: Set<Value.ID> = []
        let confirmed = tables.existingTable(of: ConfirmedState.self)
        confirmed?.forEachValue(at: version) { key, state in
            guard let id = key.id(as: Value.self) else { return }
            covered.insert(id)
            if let value = state.value { values.append(value.typed()) }
        }
        table.forEachValue(at: version) { id, value in
            if !covered.contains(id) { values.append(value) }
        }
        return values
    }
}

// Everything here is called under the writers' lock.
extension Table {
    func writtenConfirmedValue(id: Value.ID) -> Value? {
        let state = coveredEntity(id)?.state
        return state?.isUncovered ?? true ? writtenValue(id: id) : state?.confirmed?.typed()
    }

    var writtenConfirmedValues: [Value] {
        var values: [Value] = []
        forEachWrittenValue { id, value in
            if coveredEntity(id)?.state.isUncovered ?? true { values.append(value) }
        }
        let covered = layers?.entities.values.compactMap { entity in
            entity.state.isUncovered ? nil : entity.state.confirmed?.typed() as Value?
        }
        return values + (covered ?? [])
    }
}
