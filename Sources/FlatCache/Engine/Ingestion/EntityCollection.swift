/// The entities of one type that a scope has collected.
///
/// The collector's lock guards all variables.
final class EntityCollection<Value: Identifiable & Sendable>: AnyEntityCollection
where Value.ID: Sendable {
    let index: Int
    /// Decodes a value, if the type can be decoded on any thread.
    let decode: ((any Decoder) throws -> Value)?
    var values: [Value] = []
    /// The shape of the last decoded reference to the type.
    var shape = RelationShape.identifier
    /// A Boolean value that indicates whether a value can be decoded from an object that contains
    /// only an `id`, or `nil` if this isn't known yet.
    var isDecodableFromIdentifier: Bool?

    /// Creates an empty collection.
    ///
    /// - Parameter index: The index of the collection in its collector.
    init(index: Int) {
        self.index = index
        if ConformanceProbe<Value>.findsDecodable, let type = Value.self as? any Decodable.Type {
            decode = Self.decode(type)
        } else {
            decode = nil
        }
    }

    var count: Int { values.count }

    func remove(at index: Int) { values.remove(at: index) }

    func move(to collector: inout CollectorState) {
        let collection = collector.collection(of: Value.self)
        for value in values { collector.append(value, to: collection) }
        values = []
    }

    func store(in batch: CacheBatch) {
        batch.set(contentsOf: values)
    }

    func store(in batch: CacheBatch, modifiedAt stamp: some Comparable & Sendable) {
        batch.set(contentsOf: values, modifiedAt: stamp)
    }

    // The opened type is `Value` itself, because it was cast from the metatype of `Value`. So values
    // of the two types have the same bits.
    private static func decode<Found: Decodable>(
        _: Found.Type
    ) -> (any Decoder) throws -> Value {
        { unsafeBitCast(try Found(from: $0), to: Value.self) }
    }
}

/// The entities of any type that a scope has collected.
protocol AnyEntityCollection: AnyObject {
    /// The number of entities in the collection.
    var count: Int { get }

    /// Removes an entity that was collected inside a value that couldn't be decoded.
    func remove(at index: Int)

    /// Moves all entities to another collector.
    func move(to collector: inout CollectorState)

    /// Stores all entities in their order.
    func store(in batch: CacheBatch)

    /// Stores all entities in their order, with a modification stamp.
    func store(in batch: CacheBatch, modifiedAt stamp: some Comparable & Sendable)
}
