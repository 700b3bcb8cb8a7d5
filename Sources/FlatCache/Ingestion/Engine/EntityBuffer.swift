import Synchronization

/// The entities of one type that a scope has collected.
///
/// Until the scope ends, the lock of the scope's state guards all variables, and no user code runs
/// under it. Afterwards, the thread that stores the entities owns the buffer. Accesses therefore
/// don't overlap, and the run-time check for overlaps is off.
@usableFromInline
final class EntityBuffer<Value: Identifiable & Sendable>: AnyEntityBuffer
where Value.ID: Sendable {
    /// Decodes a value, if the type can be decoded on any thread.
    @usableFromInline let decode: ((any Decoder) throws -> Value)?
    /// Stores values in a batch.
    ///
    /// The closure is specialized in the client.
    @usableFromInline let storeValues: ([Value], CacheBatch) -> Void
    @exclusivity(unchecked) @usableFromInline var values: [Value] = []
    /// The origin of each value.
    @exclusivity(unchecked) @usableFromInline var origins: [EntityOrigin] = []
    /// The shape of the last decoded reference to the type.
    @exclusivity(unchecked) @usableFromInline var shape = RelationShape.identifier
    /// `true` if a value can be decoded from an object that contains only an `id`, or `nil` if this
    /// isn't known yet.
    @exclusivity(unchecked) @usableFromInline var isDecodableFromIdentifier: Bool?

    @inlinable
    init() {
        storeValues = { values, batch in batch.store(contentsOf: values) }
        if ConformanceProbe<Value>.findsDecodable, let type = Value.self as? any Decodable.Type {
            decode = Self.decode(type)
        } else {
            decode = nil
        }
    }

    @usableFromInline var type: ObjectIdentifier { ObjectIdentifier(Value.self) }

    @usableFromInline var count: Int { values.count }

    @usableFromInline var allValues: any Sendable { values }

    @usableFromInline var keys: @Sendable () -> [CacheKey] {
        { [values] in values.map { CacheKey($0) } }
    }

    @usableFromInline
    func rollBack(to savepoint: IngestionState.Savepoint) -> Any {
        let start = (origins.lastIndex { $0.number < savepoint.number } ?? -1) + 1
        let since = zip(values[start...], origins[start...]).map { ($0, $1) }
        values.removeSubrange(start...)
        origins.removeSubrange(start...)
        for (value, origin) in since where origin.thread != currentThread {
            values.append(value)
            origins.append(origin)
        }
        return since
    }

    @usableFromInline
    func move(to other: any AnyEntityBuffer) {
        let other = unsafeDowncast(other, to: EntityBuffer.self)
        other.values += values
        other.origins += origins
    }

    @usableFromInline
    func detach() -> any AnyEntityBuffer {
        let detached = EntityBuffer()
        swap(&detached.values, &values)
        swap(&detached.origins, &origins)
        return detached
    }

    @usableFromInline
    func remove(_ keys: Set<CacheKey>) {
        let kept = values.indices.filter { !keys.contains(CacheKey(values[$0])) }
        if kept.count == values.count { return }
        (values, origins) = (kept.map { values[$0] }, kept.map { origins[$0] })
    }

    @usableFromInline
    func removeShortForms(in batch: CacheBatch) {
        guard batch.core.hasRequirements.load(ordering: .relaxed) else { return }
        values = batch.core.withoutShortForms(values, origins.map(\.isNested))
    }

    @usableFromInline
    func store(
        in batch: CacheBatch,
        modifiedAt stamp: (any Comparable & Sendable)?,
        under lease: Lease?
    ) {
        let core = batch.core
        if let owner = core.tables.existingTable(of: Value.self)?.owner {
            return owner.leaveOut(values.count)
        }
        let parts = lease.flatMap { core.outdatedValues(of: values, $0) }
        let current = parts?.current ?? values
        if let stamp {
            if !current.isEmpty { batch.set(contentsOf: current, modifiedAt: stamp) }
        } else if !current.isEmpty {
            storeValues(current, batch)
        }
        guard let lease, let parts else { return }
        for value in parts.outdated {
            if let stamp, !core.wasEmptied(of: Value.self, since: lease),
                core.isKnownToBeOlder(value, than: stamp)
            {
                core.storeNewer(value, lease) { batch.set(value, modifiedAt: stamp) }
            } else {
                core.storeBeneath(value, lease)
            }
        }
    }

    // The opened type is `Value` itself, because it was cast from the metatype of `Value`. So
    // values of the two types have the same bits.
    @usableFromInline
    static func decode<Found: Decodable>(
        _: Found.Type
    ) -> (any Decoder) throws -> Value {
        { unsafeBitCast(try Found(from: $0), to: Value.self) }
    }
}

/// The origin of a collected entity.
@usableFromInline
struct EntityOrigin {
    /// The number of the entity among those of all types.
    let number: Int
    let thread: UInt
    /// `true` if the entity was nested in another one.
    let isNested: Bool
}

/// The entities of any type that a scope has collected.
@usableFromInline
protocol AnyEntityBuffer: AnyObject {
    var type: ObjectIdentifier { get }
    var count: Int { get }
    var origins: [EntityOrigin] { get set }

    /// The entities, as an array of their type.
    var allValues: any Sendable { get }

    /// A function that returns the keys of the entities.
    var keys: @Sendable () -> [CacheKey] { get }

    /// Removes the entities that the calling thread has collected since a savepoint.
    ///
    /// - Returns: The removed entities, and others, to be released outside the lock.
    func rollBack(to savepoint: IngestionState.Savepoint) -> Any

    /// Appends all entities to another buffer of the type.
    func move(to other: any AnyEntityBuffer)

    /// Returns another buffer with the entities, and removes them from this one.
    func detach() -> any AnyEntityBuffer

    /// Removes the entities with some keys.
    func remove(_ keys: Set<CacheKey>)

    /// Removes nested entities that mustn't replace whole ones.
    func removeShortForms(in batch: CacheBatch)

    /// Stores all entities in their order, as the answer of a load if there's a lease, unless a
    /// participant alone writes their type.
    func store(
        in batch: CacheBatch,
        modifiedAt stamp: (any Comparable & Sendable)?,
        under lease: Lease?
    )
}
