/// The editor of a layer, valid in the closure that receives it.
///
/// ```swift
/// let draft = cache.beginLayer("Draft") { layer in
///     layer.update(Book.self, id: 1) { $0.title = "Tehanu" }
///     layer.remove(Book.self, id: 2)
/// }
/// ```
///
/// The cache applies the edits to the confirmed values, and applies them again whenever these
/// values change.
///
/// ## Concurrency
/// The object is valid on the calling thread, until the closure returns. Using it later is a
/// programmer error and traps.
public final class CacheLayer {
    private let core: CacheCore
    private let record: LayerRecord
    private var hasEnded = false

    init(_ core: CacheCore, _ record: LayerRecord) {
        self.core = core
        self.record = record
    }

    func end() { hasEnded = true }

    /// Shows a value.
    ///
    /// A ``Mergeable`` value is merged with the one beneath the layer. Versions and stamps aren't
    /// compared.
    ///
    /// - Parameter value: The value.
    public func set<Value: Identifiable & Sendable>(_ value: Value) where Value.ID: Sendable {
        add(.set(value), to: value.id)
    }

    /// Shows a change to a value.
    ///
    /// While the entity doesn't exist, the edit has no effect.
    ///
    /// ## Concurrency
    /// The cache calls the closure at once if the entity exists, and again whenever the value
    /// beneath the edit changes, on the writing thread and under the writers' lock. The closure
    /// must not use the cache, must depend on the value and on constants alone, and must not change
    /// a value that already contains the edit.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    ///   - change: A closure that changes the value.
    public func update<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        _ change: @escaping @Sendable (inout Value) -> Void
    ) where Value.ID: Sendable {
        add(.update(change), to: id)
    }

    /// Hides an entity.
    ///
    /// The entities that it owns (``OwnsCachedValues``) remain visible, and are removed when the
    /// layer is confirmed.
    ///
    /// - Parameters:
    ///   - type: The type under which the entity is stored.
    ///   - id: The entity's identifier.
    public func remove<Value: Identifiable & Sendable>(_ type: Value.Type, id: Value.ID)
    where Value.ID: Sendable {
        add(LayerOperation<Value>.remove, to: id)
    }

    /// Returns the editor of a list.
    ///
    /// - Parameters:
    ///   - name: The name of the list.
    ///   - type: The type of the elements.
    ///   - pinsElements: A Boolean value that indicates whether the list pins its elements if the
    ///     layer creates it.
    public func list<Element: Identifiable & Sendable>(
        _ name: String,
        of type: Element.Type,
        pinsElements: Bool = true
    ) -> LayerList<Element> where Element.ID: Sendable {
        LayerList(name: name, pinsElements: pinsElements, layer: self)
    }

    /// Shows another target of an alias.
    ///
    /// - Parameters:
    ///   - name: The name of the alias.
    ///   - type: The type of the target.
    ///   - target: The identifier of the target, or `nil` for none.
    ///   - pinsTarget: A Boolean value that indicates whether the alias pins the target.
    public func setAlias<Value: Identifiable & Sendable>(
        _ name: String,
        of type: Value.Type,
        to target: Value.ID?,
        pinsTarget: Bool = true
    ) where Value.ID: Sendable {
        guard let target else { return add(LayerOperation<AliasState<Value>>.remove, to: name) }
        add(AliasState<Value>.reference(to: target, name, pinsTarget: pinsTarget), to: name)
    }

    func add<Value: Identifiable & Sendable>(
        _ operation: LayerOperation<Value>,
        to id: Value.ID
    ) where Value.ID: Sendable {
        precondition(
            !hasEnded && core.writerLock.isHeldByCurrentThread,
            "A layer was used after its closure had returned. Call change(_:) of the open layer."
        )
        // The closure may have ended the layer itself.
        if record.state != .open { return }
        let layers = core.layers(of: Value.self)
        let entity = layers.entity(for: CacheKey(Value.self, id: id))
        layers.add(operation, by: record.number, to: entity)
    }
}

extension AliasState {
    /// Returns the edit of a layer that sets an alias.
    fileprivate static func reference(
        to target: Value.ID,
        _ name: String,
        pinsTarget: Bool
    ) -> LayerOperation<AliasState> {
        .refer { _ in
            AliasState(id: name, target: target, pinsTarget: pinsTarget)
        } replacing: { old, new in
            guard target == old.id(as: Value.self), let new = new.id(as: Value.self) else {
                return nil
            }
            return reference(to: new, name, pinsTarget: pinsTarget)
        }
    }
}
