/// The edits of a layer, passed to the closures of ``CacheType/beginLayer(_:_:)`` and
/// ``OpenLayer/change(_:)``.
///
/// ```swift
/// let draft = cache.beginLayer("Draft") { layer in
///     layer.update(Book.self, id: 1) { $0.title = "Tehanu" }
///     layer.remove(Book.self, id: 2)
/// }
/// ```
///
/// Using it after the closure has returned is a programmer error and traps.
public final class CacheLayer {
    private let core: CacheCore
    private let number: UInt64
    private var hasEnded = false

    init(_ core: CacheCore, number: UInt64) {
        self.core = core
        self.number = number
    }

    func end() { hasEnded = true }

    /// Shows a value, merging a ``Mergeable`` value into the one beneath the layer.
    public func set<Value: Identifiable & Sendable>(_ value: Value) where Value.ID: Sendable {
        add(.set(value), to: value.id)
    }

    /// Shows a change of a value, for as long as there is one.
    public func update<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID,
        _ change: @escaping @Sendable (inout Value) -> Void
    ) where Value.ID: Sendable {
        add(.update(change), to: id)
    }

    /// Hides an entity.
    public func remove<Value: Identifiable & Sendable>(_ type: Value.Type, id: Value.ID)
    where Value.ID: Sendable {
        add(LayerOperation<Value>.remove, to: id)
    }

    /// Returns the edits to a list.
    ///
    /// - Parameters:
    ///   - name: The name of the list.
    ///   - type: The type of its elements.
    ///   - pinsElements: `true` if the list pins its elements, should this layer create it.
    public func list<Element: Identifiable & Sendable>(
        _ name: String,
        of type: Element.Type,
        pinsElements: Bool = true
    ) -> LayerList<Element> where Element.ID: Sendable {
        LayerList(name: name, pinsElements: pinsElements, layer: self)
    }

    /// Lets an alias refer to another entity, or to none.
    ///
    /// - Parameters:
    ///   - name: The name of the alias.
    ///   - type: The type of the entity.
    ///   - target: The identifier of the entity, or `nil` for none.
    ///   - pinsTarget: `true` if the alias then pins the entity.
    public func setAlias<Value: Identifiable & Sendable>(
        _ name: String,
        of type: Value.Type,
        to target: Value.ID?,
        pinsTarget: Bool = true
    ) where Value.ID: Sendable {
        guard let target else { return add(LayerOperation<AliasState<Value>>.remove, to: name) }
        add(.refer(AliasState<Value>.reference(to: target, name, pinsTarget: pinsTarget)), to: name)
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
        guard core.isOpen(number) else { return }
        let layers = core.layers(of: Value.self)
        core.writer.openLayers[number]?.insert(layers)
        layers.add(operation, by: number, to: id)
    }
}

extension AliasState {
    /// Returns the edit of a layer that sets an alias.
    fileprivate static func reference(
        to target: Value.ID,
        _ name: String,
        pinsTarget: Bool
    ) -> LayerReference<AliasState> {
        LayerReference(
            apply: { _ in AliasState(id: name, target: target, pinsTarget: pinsTarget) },
            replacing: { old, new in
                guard target == old.id(as: Value.self), let new = new.id(as: Value.self) else {
                    return nil
                }
                return reference(to: new, name, pinsTarget: pinsTarget)
            }
        )
    }
}
