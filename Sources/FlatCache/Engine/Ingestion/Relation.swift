/// The state of the references to a type, in a scope or outside any scope.
@usableFromInline
struct Relation<Value: Identifiable & Sendable> where Value.ID: Sendable {
    @usableFromInline let ingestion: Ingestion?
    @usableFromInline private(set) var buffer: EntityBuffer<Value>
    @usableFromInline private(set) var savepoint: CollectorState.Savepoint
    /// The shape of the last decoded reference.
    @usableFromInline private(set) var shape: RelationShape
    /// A Boolean value that indicates whether a value can be decoded from an object that contains
    /// only an `id`, or `nil` if this isn't known yet.
    @usableFromInline private(set) var isDecodableFromIdentifier: Bool?

    @inlinable
    init(in ingestion: Ingestion?) {
        self.ingestion = ingestion
        guard let ingestion else {
            buffer = EntityBuffer(index: 0)
            savepoint = CollectorState.Savepoint(number: 0)
            shape = .identifier
            isDecodableFromIdentifier = nil
            return
        }
        (buffer, savepoint, shape, isDecodableFromIdentifier) = ingestion.withCollector {
            let buffer = $0.buffer(of: Value.self)
            return (buffer, $0.savepoint, buffer.shape, buffer.isDecodableFromIdentifier)
        }
    }

    var isDecodable: Bool { buffer.decode != nil }

    /// A Boolean value that indicates whether the first attempt decodes a whole entity, without
    /// counting the keys of the object.
    @inlinable var expectsEntity: Bool {
        shape == .entity && isDecodableFromIdentifier == false
    }

    /// Decodes a whole entity.
    func decode(from decoder: any Decoder) throws -> Value {
        guard let decode = buffer.decode else {
            preconditionFailure("\(Value.self) isn't Decodable. Check this before decoding it.")
        }
        try EmbeddingDepth.enter(at: decoder.codingPath)
        defer { EmbeddingDepth.leave() }
        return try decode(decoder)
    }

    /// Passes an entity on to the scope, and renews the state for the next reference.
    @inlinable
    mutating func collect(_ value: Value) {
        guard let ingestion else { return }
        (buffer, savepoint, isDecodableFromIdentifier) = ingestion.collect(value, in: buffer)
        shape = .entity
    }

    /// Removes the entities that the calling thread has collected inside a value of the relation
    /// that couldn't be decoded.
    @usableFromInline
    func rollBack() {
        _ = ingestion?.withCollector { $0.rollBack(to: savepoint) }
    }

    func remember(_ shape: RelationShape) {
        guard let ingestion, shape != self.shape else { return }
        ingestion.remember(shape, in: buffer)
    }

    func remember(isDecodableFromIdentifier: Bool) {
        ingestion?.withCollector { _ in
            buffer.isDecodableFromIdentifier = isDecodableFromIdentifier
        }
    }
}
