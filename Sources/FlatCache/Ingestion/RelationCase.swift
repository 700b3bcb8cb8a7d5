/// A case of a ``PolymorphicRelation``, with the name of its type in responses.
public struct RelationCase<Relation: Sendable>: Sendable {
    typealias Object = KeyedDecodingContainer<AnyCodingKey>
    typealias Container = KeyedEncodingContainer<AnyCodingKey>

    /// The name of the type, or `nil` if the case stands for unknown types.
    let type: String?
    /// The type of the entities, or `nil` if the case stands for unknown types.
    let entityType: Any.Type?
    /// Decodes a relation from the name of its type and an object.
    let decode: @Sendable (String, Object, any Decoder) throws -> Relation
    // These closures return `nil` for a relation of another case.
    /// Encodes the identifier, and returns the name of the type.
    let encode: @Sendable (Relation, inout Container) throws -> String?
    let cacheKey: @Sendable (Relation) -> CacheKey?
    let value: @Sendable (Relation, any ReadableCache) -> (any Identifiable & Sendable)??

    /// Creates a case for the entities of a type.
    ///
    /// ## Concurrency
    /// `makeRelation` is called on the thread that decodes the relation. `related` can be called on
    /// any thread and under the writers' lock. Neither may use the cache.
    ///
    /// - Parameters:
    ///   - type: The name of the type.
    ///   - makeRelation: The case, a function from its associated value to the relation.
    ///   - related: A function that returns the associated value of a relation, or `nil` if it has
    ///     another case.
    public init<Value: Identifiable & Sendable>(
        _ type: String,
        _ makeRelation: @escaping @Sendable (Related<Value>) -> Relation,
        _ related: @escaping @Sendable (Relation) -> Related<Value>?
    ) where Value.ID: Codable & Sendable {
        self.type = type
        entityType = Value.self
        decode = { _, object, decoder in
            // An object with nothing but a type and an identifier isn't a partial entity.
            guard object.contains(.id), object.allKeys.count == 2 else {
                return makeRelation(try Related(from: decoder))
            }
            do {
                return makeRelation(Related(try object.decode(Value.ID.self, forKey: .id)))
            } catch let error as DecodingError {
                throw error.prefixed("\(Related<Value>.self): ")
            }
        }
        encode = { relation, container in
            guard let related = related(relation) else { return nil }
            try container.encode(related.id, forKey: .id)
            return type
        }
        cacheKey = { related($0)?.cacheKey }
        value = { relation, cache in
            related(relation).map { $0.value(in: cache) }
        }
    }

    /// Creates the case for types that no other case has.
    ///
    /// Decoding throws an error if the identifier is neither a string nor a number, or if it's a
    /// number that can't be kept exactly. The identifier may be absent or null.
    ///
    /// ## Concurrency
    /// `makeRelation` is called on the thread that decodes the relation. `unknown` can be called on
    /// any thread and under the writers' lock. Neither may use the cache.
    ///
    /// - Parameters:
    ///   - makeRelation: The case, a function from its associated value to the relation.
    ///   - unknown: A function that returns the associated value of a relation, or `nil` if it has
    ///     another case.
    public init(
        unknown makeRelation: @escaping @Sendable (UnknownRelation) -> Relation,
        _ unknown: @escaping @Sendable (Relation) -> UnknownRelation?
    ) {
        type = nil
        entityType = nil
        decode = { type, object, _ in makeRelation(try UnknownRelation(type: type, object)) }
        encode = { relation, container in
            guard let unknown = unknown(relation) else { return nil }
            try unknown.encodeIdentifier(to: &container)
            return unknown.type
        }
        cacheKey = { unknown($0)?.cacheKey }
        value = { relation, _ in unknown(relation).map { _ in nil } }
    }
}
