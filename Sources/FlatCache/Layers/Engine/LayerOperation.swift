/// A change that a layer makes to an entity.
enum LayerOperation<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    case set(Value)
    case update(@Sendable (inout Value) -> Void)
    case remove
    /// A change to a list or an alias.
    case refer(LayerReference<Value>)

    var isSet: Bool { if case .set = self { true } else { false } }
    var isUpdate: Bool { if case .update = self { true } else { false } }
    var isRemoval: Bool { if case .remove = self { true } else { false } }
}

/// A change to a list or an alias, which names entities by their identifiers.
struct LayerReference<Value: Sendable>: Sendable {
    /// Returns the changed value.
    let apply: @Sendable (Value?) -> Value?
    /// Returns the same change with the key of an entity replaced, or `nil` if it doesn't name the
    /// entity.
    let replacing: @Sendable (_ old: CacheKey, _ new: CacheKey) -> LayerReference?
}

/// The operations of one layer on one entity, in the order in which they were made.
struct EntityLayer<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    /// The number of the layer: layers that began later have greater numbers.
    let layer: UInt64
    var operations: [LayerOperation<Value>] = []
    /// `true` if the layer is confirmed, and an older open layer changes the entity.
    ///
    /// The operations remain above those of the older layer until it ends, so that edits keep their
    /// order whatever the order of the answers.
    var isHeld = false
}

extension Table {
    /// Returns a value with operations applied to it, under the writers' lock.
    func apply(_ operations: [LayerOperation<Value>], to value: Value?, in core: CacheCore)
        -> Value?
    {
        var value = value
        for operation in operations {
            switch operation {
            case .set(let new):
                guard let existing = value, let merge = traits.merge else {
                    value = new
                    continue
                }
                let merged = core.writer.runUserCode("merged(with:)", of: Value.self) {
                    merge(existing, new)
                }
                core.checkMerged(merged, from: existing.id)
                value = merged
            case .update(let change):
                guard var changed = value else { continue }
                let id = changed.id
                core.writer.runUserCode("an operation of a layer", of: Value.self) {
                    change(&changed)
                }
                if changed.id != id { core.trapUpdated(changed, from: id) }
                value = changed
            case .remove: value = nil
            case .refer(let reference): value = reference.apply(value)
            }
        }
        return value
    }
}
