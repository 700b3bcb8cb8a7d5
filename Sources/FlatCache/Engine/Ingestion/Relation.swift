/// The state of the references to a type, in a scope or outside any scope.
@usableFromInline
struct Relation<Value: Identifiable & Sendable> where Value.ID: Sendable {
    @usableFromInline let ingestion: Ingestion?
    @usableFromInline private(set) var collection: EntityCollection<Value>
    @usableFromInline private(set) var mark: CollectorState.Mark
    /// The shape of the last decoded reference.
    @usableFromInline private(set) var shape: RelationShape
    /// A Boolean value that indicates whether a value can be decoded from an object that contains
    /// only an `id`, or `nil` if this isn't known yet.
    @usableFromInline private(set) var isDecodableFromIdentifier: Bool?

    @inlinable
    init(in ingestion: Ingestion?) {
        self.ingestion = ingestion
        guard let ingestion else {
            collection = EntityCollection(index: 0)
            mark = CollectorState.Mark(number: 0)
            shape = .identifier
            isDecodableFromIdentifier = nil
            return
        }
        (collection, mark, shape, isDecodableFromIdentifier) = ingestion.withCollector {
            let collection = $0.collection(of: Value.self)
            return (collection, $0.mark, collection.shape, collection.isDecodableFromIdentifier)
        }
    }

    var isDecodable: Bool { collection.decode != nil }

    /// A Boolean value that indicates whether a value must be decoded as a whole entity first, and
    /// the keys of objects needn't be counted before.
    @inlinable var expectsEntity: Bool {
        shape == .entity && isDecodableFromIdentifier == false
    }

    /// Decodes a whole entity.
    func decode(from decoder: any Decoder) throws -> Value {
        guard let decode = collection.decode else {
            preconditionFailure("\(Value.self) isn't Decodable. Check this before decoding it.")
        }
        try EmbeddingDepth.enter(at: decoder.codingPath)
        defer { EmbeddingDepth.leave() }
        return try decode(decoder)
    }

    /// Hands an entity over to the scope, and renews the state for the next reference.
    @inlinable
    mutating func collect(_ value: Value) {
        guard let ingestion else { return }
        (collection, mark, isDecodableFromIdentifier) = ingestion.collect(value, in: collection)
        shape = .entity
    }

    /// Removes the entities that the calling thread has collected inside a value of the relation
    /// that couldn't be decoded.
    @usableFromInline
    func undo() {
        _ = ingestion?.withCollector { $0.returnTo(mark) }
    }

    func remember(_ shape: RelationShape) {
        guard let ingestion, shape != self.shape else { return }
        ingestion.remember(shape, in: collection)
    }

    func remember(isDecodableFromIdentifier: Bool) {
        ingestion?.withCollector { _ in
            collection.isDecodableFromIdentifier = isDecodableFromIdentifier
        }
    }
}
