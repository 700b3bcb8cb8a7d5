/// The state of the references to a type, in a scope or outside any scope.
@usableFromInline
struct Relation<Value: Identifiable & Sendable> where Value.ID: Sendable {
    @usableFromInline let ingestion: Ingestion?
    @usableFromInline let buffer: EntityBuffer<Value>
    @usableFromInline private(set) var savepoint: IngestionState.Savepoint
    /// The shape of the last decoded reference.
    @usableFromInline private(set) var shape: RelationShape
    /// `true` if a value can be decoded from an object that contains only an `id`, or `nil` if this
    /// isn't known yet.
    @usableFromInline private(set) var isDecodableFromIdentifier: Bool?

    @inlinable
    init(in ingestion: Ingestion?) {
        self.ingestion = ingestion
        guard let ingestion else {
            buffer = EntityBuffer()
            savepoint = IngestionState.Savepoint(number: 0)
            shape = .identifier
            isDecodableFromIdentifier = nil
            return
        }
        (buffer, savepoint, shape, isDecodableFromIdentifier) = ingestion.state.withLock {
            let buffer = $0.buffer(of: Value.self)
            return (buffer, $0.savepoint, buffer.shape, buffer.isDecodableFromIdentifier)
        }
    }

    var isDecodable: Bool { buffer.decode != nil }

    /// `true` if the first attempt decodes a whole entity, without counting the keys of the object.
    @inlinable var expectsEntity: Bool {
        shape == .entity && isDecodableFromIdentifier == false
    }

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
        (savepoint, isDecodableFromIdentifier) = ingestion.collect(value, in: buffer)
        shape = .entity
    }

    /// Removes the entities that the calling thread has collected inside a value of the relation
    /// that couldn't be decoded.
    @usableFromInline
    func rollBack() {
        _ = ingestion?.state.withLock { $0.rollBack(to: savepoint) }
    }

    func remember(_ shape: RelationShape) {
        guard let ingestion, shape != self.shape else { return }
        ingestion.remember(shape, in: buffer)
    }

    func remember(isDecodableFromIdentifier: Bool) {
        ingestion?.state.withLock { _ in
            buffer.isDecodableFromIdentifier = isDecodableFromIdentifier
        }
    }
}

/// A reference to an entity of one type, for decoders that know the shape of a reference.
package protocol RelatedReference {
    /// The type of the entity.
    static var entityType: Any.Type { get }

    /// Decodes a bare identifier.
    init(identifierFrom decoder: any Decoder) throws
}

extension Related: RelatedReference where Value.ID: Decodable {
    package static var entityType: Any.Type { Value.self }

    package init(identifierFrom decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Value.ID.self))
    }
}

/// The shape in which a document contains a related entity.
@usableFromInline
enum RelationShape {
    /// The bare identifier.
    case identifier
    /// An object that contains only the key `id`.
    case reference
    /// The whole entity.
    case entity
}

/// A collection of references, from which a ``RelationStrategy`` drops malformed elements.
protocol ReferenceCollection {
    static func validElements<Key>(
        in container: KeyedDecodingContainer<Key>,
        forKey key: Key
    ) throws -> Self
}

extension Array: ReferenceCollection where Element: CachedReference & Decodable {
    static func validElements<Key>(
        in container: KeyedDecodingContainer<Key>,
        forKey key: Key
    ) throws -> [Element] {
        // Some decoders know the types of references, so each element is decoded as such a type.
        let valid = try container.decodeValue(ValidElements<Element>.self, forKey: key)
        for problem in valid.problems {
            RelationStrategy.current?.report(problem.error, at: problem.codingPath)
        }
        return Array(valid)
    }
}

extension Set: ReferenceCollection where Element: CachedReference & Decodable {
    static func validElements<Key>(
        in container: KeyedDecodingContainer<Key>,
        forKey key: Key
    ) throws -> Set<Element> {
        Set(try [Element].validElements(in: container, forKey: key))
    }
}

extension Dictionary: ReferenceCollection
where Key: Decodable, Value: CachedReference & Decodable {
    static func validElements<ObjectKey>(
        in container: KeyedDecodingContainer<ObjectKey>,
        forKey key: ObjectKey
    ) throws -> [Key: Value] {
        // A decoder treats the keys of a dictionary in its own way, whatever the values are.
        try container.decode([Key: ElementAttempt<Value>].self, forKey: key)
            .compactMapValues(\.element)
    }
}

/// A value of a dictionary, or `nil` if it's malformed.
private struct ElementAttempt<Element: Decodable>: Decodable {
    let element: Element?

    init(from decoder: any Decoder) throws {
        guard let strategy = RelationStrategy.dropping else {
            element = try Element(from: decoder)
            return
        }
        element = try strategy.valid(
            at: decoder.codingPath,
            in: Ingestion.current(for: decoder)
        ) { try Element(from: decoder) }
    }
}
