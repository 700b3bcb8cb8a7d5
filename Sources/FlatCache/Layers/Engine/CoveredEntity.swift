/// An entity of any type that layers change, or have changed before the open transaction ends.
///
/// The operations and the confirmed values are erased, so that the compiler specializes the code
/// that keeps them. Only the few functions that put values into entries run unspecialized.
///
/// Guarded by the writers' lock.
final class CoveredEntity {
    /// The part of an entity that a rollback restores.
    struct State {
        /// The operations, in the order of their layers.
        var parts: [EntityLayer] = []
        /// The confirmed value, unless the entry has it.
        var confirmed: AnyConfirmedValue?
        /// `true` if the entry has the confirmed value.
        var isUncovered = true
        /// `true` if the table of confirmed values has that of the entity, for readers.
        var isListed = false
        /// `true` if the open transaction has changed the operations.
        var isTouched = false
        /// `true` if the open transaction has written the confirmed value.
        var isConfirmedWritten = false
    }

    let key: CacheKey
    let hash: UInt32
    unowned let layers: TableLayers
    @exclusivity(unchecked) var state = State()
    /// `true` if the entity is among those that the open transaction concerns.
    @exclusivity(unchecked) var isChanged = false

    init(_ key: CacheKey, hash: UInt32, _ layers: TableLayers) {
        self.key = key
        self.hash = hash
        self.layers = layers
    }

    var isCovered: Bool { !state.parts.isEmpty }

    /// `true` if layers cover the entity, or did so before the open transaction.
    var isConcerned: Bool { isCovered || state.isTouched || state.isConfirmedWritten }

    /// The index of a layer among those of the entity.
    func part(of layer: UInt64) -> Int? { state.parts.firstIndex { $0.layer == layer } }
}

/// The operations of one layer on one entity, in the order in which they were made.
struct EntityLayer: Sendable {
    /// The number of the layer: layers that began later have greater numbers.
    let layer: UInt64
    var operations: [AnyLayerOperation] = []
    /// `true` if the layer is confirmed, and an older open layer changes the entity.
    ///
    /// The operations remain above those of the older layer until it ends, so that edits keep their
    /// order whatever the order of the responses.
    var isHeld = false
}

/// The confirmed value of a covered entity of any type, as readers find it.
struct ConfirmedState: Identifiable, Equatable, PinsEntities, Sendable {
    /// The key of the entity.
    let id: CacheKey
    /// The value, or `nil` if only layers have the entity.
    let value: AnyConfirmedValue?
    /// `true` if an open layer changes the entity.
    let isPending: Bool

    var pinnedCacheKeys: Set<CacheKey> { value?.pinnedCacheKeys ?? [] }
}

/// A confirmed value of any type.
class AnyConfirmedValue: Equatable, @unchecked Sendable {
    // The subclass has only constant properties.

    var pinnedCacheKeys: Set<CacheKey> { [] }

    func isEqual(to other: AnyConfirmedValue) -> Bool { false }

    static func == (left: AnyConfirmedValue, right: AnyConfirmedValue) -> Bool {
        left === right || left.isEqual(to: right)
    }

    /// Returns the value, which must be of the type of the entity.
    final func typed<Value: Identifiable & Sendable>() -> Value where Value.ID: Sendable {
        unsafeDowncast(self, to: ConfirmedValue<Value>.self).value
    }
}

final class ConfirmedValue<Value: Identifiable & Sendable>: AnyConfirmedValue, @unchecked Sendable
where Value.ID: Sendable {
    let value: Value
    private let table: Table<Value>

    init(_ value: Value, in table: Table<Value>) {
        self.value = value
        self.table = table
    }

    override var pinnedCacheKeys: Set<CacheKey> { table.traits.pinnedKeys?(value) ?? [] }

    override func isEqual(to other: AnyConfirmedValue) -> Bool {
        table.traits.isEqual?(value, other.typed()) ?? false
    }
}
