/// The entities of one type that a scope has collected.
///
/// Until the scope ends, the lock of the scope's state guards all variables, and no user code runs
/// under it. Afterwards, the thread that stores the entities owns the buffer. Accesses therefore
/// don't overlap, and the run-time check for overlaps is off.
@usableFromInline
final class EntityBuffer<Value: Identifiable & Sendable>: AnyEntityBuffer
where Value.ID: Sendable {
    @usableFromInline let index: Int
    /// Decodes a value, if the type can be decoded on any thread.
    @usableFromInline let decode: ((any Decoder) throws -> Value)?
    /// Stores values in a batch.
    ///
    /// The closure is specialized in the client.
    @usableFromInline let storeValues: ([Value], CacheBatch) -> Void
    @exclusivity(unchecked) @usableFromInline var values: [Value] = []
    /// `true` if another buffer receives further entities.
    @exclusivity(unchecked) @usableFromInline private(set) var isClosed = false
    /// The shape of the last decoded reference to the type.
    @exclusivity(unchecked) @usableFromInline var shape = RelationShape.identifier
    /// `true` if a value can be decoded from an object that contains only an `id`, or `nil` if this
    /// isn't known yet.
    @exclusivity(unchecked) @usableFromInline var isDecodableFromIdentifier: Bool?

    /// - Parameter index: The index of the buffer in its collector.
    @inlinable
    init(index: Int) {
        self.index = index
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

    @usableFromInline
    func removeLast(_ isRemoved: [Bool]) -> Any {
        let start = values.count - isRemoved.count
        let last = Array(values[start...])
        values.removeSubrange(start...)
        for (value, isRemoved) in zip(last, isRemoved) where !isRemoved { values.append(value) }
        return last
    }

    @usableFromInline
    func append(to collector: inout CollectorState, nested: [Bool]?) {
        collector.append(contentsOf: values, nested: nested)
    }

    @usableFromInline
    func removeShortForms(_ nested: [Bool], in batch: CacheBatch) {
        values = batch.core.withoutShortForms(values, nested)
    }

    @usableFromInline
    func close(continuingAt index: Int) -> any AnyEntityBuffer {
        isClosed = true
        let next = EntityBuffer(index: index)
        next.shape = shape
        next.isDecodableFromIdentifier = isDecodableFromIdentifier
        return next
    }

    @usableFromInline
    func store(in batch: CacheBatch, under lease: Lease?) {
        guard let lease, let parts = batch.core.outdatedValues(of: values, lease) else {
            return storeValues(values, batch)
        }
        if !parts.current.isEmpty { storeValues(parts.current, batch) }
        for value in parts.outdated { batch.core.storeBeneath(value, lease) }
    }

    @usableFromInline
    func store(
        in batch: CacheBatch,
        modifiedAt stamp: some Comparable & Sendable,
        under lease: Lease?
    ) {
        guard let lease, let parts = batch.core.outdatedValues(of: values, lease) else {
            batch.set(contentsOf: values, modifiedAt: stamp)
            return
        }
        if !parts.current.isEmpty { batch.set(contentsOf: parts.current, modifiedAt: stamp) }
        for value in parts.outdated {
            if !batch.core.wasEmptied(of: Value.self, since: lease),
                batch.core.isKnownToBeOlder(value, than: stamp)
            {
                batch.core.storeNewer(value, lease) { batch.set(value, modifiedAt: stamp) }
            } else {
                batch.core.storeBeneath(value, lease)
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

/// The entities of any type that a scope has collected.
@usableFromInline
protocol AnyEntityBuffer: AnyObject {
    var type: ObjectIdentifier { get }
    var count: Int { get }

    /// The entities, as an array of their type.
    var allValues: any Sendable { get }

    /// Removes entities that were collected inside a value that couldn't be decoded.
    ///
    /// - Parameter isRemoved: For each of the last entities, whether to remove it.
    /// - Returns: The entities, to be released outside the lock.
    func removeLast(_ isRemoved: [Bool]) -> Any

    /// Appends all entities to another collector.
    ///
    /// - Parameter nested: For each entity, `true` if it was nested in another one.
    func append(to collector: inout CollectorState, nested: [Bool]?)

    /// Removes nested entities that mustn't replace whole ones.
    ///
    /// - Parameter nested: For each entity, `true` if it was nested in another one.
    func removeShortForms(_ nested: [Bool], in batch: CacheBatch)

    /// Closes the buffer, and returns the buffer for further entities.
    func close(continuingAt index: Int) -> any AnyEntityBuffer

    /// Stores all entities in their order, as the answer of a load if there's a lease.
    func store(in batch: CacheBatch, under lease: Lease?)

    /// Stores all entities in their order, with a modification stamp.
    func store(
        in batch: CacheBatch,
        modifiedAt stamp: some Comparable & Sendable,
        under lease: Lease?
    )
}
