/// A change that a layer makes to an entity of any type.
class AnyLayerOperation: @unchecked Sendable {
    // This class and the subclass have only constant properties.

    enum Kind {
        case set
        case update
        case remove
        /// A change to a list or an alias, which names entities by their identifiers.
        case refer
    }

    typealias Replacing = @Sendable (_ old: CacheKey, _ new: CacheKey) -> AnyLayerOperation?

    let kind: Kind
    /// Returns the same change with the key of an entity replaced, or `nil` if it doesn't name the
    /// entity.
    let replacing: Replacing

    init(_ kind: Kind, _ replacing: @escaping Replacing) {
        self.kind = kind
        self.replacing = replacing
    }
}

class LayerOperation<Value: Identifiable & Sendable>: AnyLayerOperation, @unchecked Sendable
where Value.ID: Sendable {
    /// Returns the changed value, under the writers' lock.
    final let apply: @Sendable (Value?, Table<Value>, CacheCore) -> Value?

    init(
        _ kind: Kind,
        replacing: @escaping Replacing = { _, _ in nil },
        _ apply: @escaping @Sendable (Value?, Table<Value>, CacheCore) -> Value?
    ) {
        self.apply = apply
        super.init(kind, replacing)
    }

    /// Returns the value that this and further operations change.
    ///
    /// - Parameter operations: The operations, of which this one is the first.
    func applyAll(
        _ operations: [AnyLayerOperation],
        to value: Value?,
        in table: Table<Value>,
        _ core: CacheCore
    ) -> Value? {
        operations.reduce(value) { value, operation in
            unsafeDowncast(operation, to: LayerOperation.self).apply(value, table, core)
        }
    }

    static func set(_ new: Value) -> LayerOperation {
        LayerOperation(.set) { existing, table, core in
            guard let existing, let merge = table.traits.merge else { return new }
            let merged = core.writer.runUserCode("merged(with:)", of: Value.self) {
                merge(existing, new)
            }
            core.checkMerged(merged, from: existing.id)
            return merged
        }
    }

    static func update(_ change: @escaping @Sendable (inout Value) -> Void) -> LayerOperation {
        LayerOperation(.update) { existing, _, core in
            guard var changed = existing else { return nil }
            let id = changed.id
            core.writer.runUserCode("an operation of a layer", of: Value.self) { change(&changed) }
            if changed.id != id { core.trapUpdated(changed, from: id) }
            return changed
        }
    }

    static var remove: LayerOperation { LayerOperation(.remove) { _, _, _ in nil } }

    static func refer(
        _ apply: @escaping @Sendable (Value?) -> Value?,
        replacing: @escaping Replacing
    ) -> LayerOperation {
        LayerOperation(.refer, replacing: replacing) { value, _, _ in apply(value) }
    }
}
