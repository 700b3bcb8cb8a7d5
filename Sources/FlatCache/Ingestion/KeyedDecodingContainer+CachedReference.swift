// The compiler chooses these overloads in the synthesized `init(from:)` of models, for relations
// without more specific overloads. They apply a strategy for malformed and null relations.

extension KeyedDecodingContainer {
    /// Decodes a relation.
    ///
    /// - Parameters:
    ///   - type: The type of the relation.
    ///   - key: The key of the relation.
    /// - Returns: The relation. By a ``RelationStrategy``, a collection can lack elements.
    /// - Throws: An error if there is no relation for the key.
    @inlinable
    public func decode<Reference: CachedReference & Decodable>(
        _ type: Reference.Type,
        forKey key: Key
    ) throws -> Reference {
        if RelationStrategy.dropping != nil { return try decodeValid(type, forKey: key) }
        return try decodeValue(type, forKey: key)
    }

    /// Decodes a relation, if there is one.
    ///
    /// - Parameters:
    ///   - type: The type of the relation.
    ///   - key: The key of the relation.
    /// - Returns: The relation, or `nil` if the key is absent, its value is null or a
    ///   ``RelationStrategy`` drops it.
    /// - Throws: An error if the value isn't a relation.
    @inlinable
    public func decodeIfPresent<Reference: CachedReference & Decodable>(
        _ type: Reference.Type,
        forKey key: Key
    ) throws -> Reference? {
        try decodeReference(forKey: key) { try decode(type, forKey: key) }
    }

    /// Decodes a relation that is unknown if the key is absent.
    ///
    /// - Parameters:
    ///   - type: The type of the relation.
    ///   - key: The key of the relation.
    /// - Returns: The relation. If a ``RelationStrategy`` drops it, it's unknown.
    /// - Throws: An error if the value is neither null nor a relation.
    @inlinable
    public func decode<Reference: CachedReference & Decodable>(
        _ type: Known<Reference>.Type,
        forKey key: Key
    ) throws -> Known<Reference> {
        guard contains(key) else { return .unknown }
        guard let strategy = RelationStrategy.current else {
            if try decodeNil(forKey: key) { return .null }
            return .value(try decode(Reference.self, forKey: key))
        }
        return try strategy.valid(at: codingPath + [key]) {
            if try decodeNil(forKey: key) {
                return strategy.isUnknown(nullAt: codingPath + [key]) ? .unknown : .null
            }
            return .value(try decode(Reference.self, forKey: key))
        } ?? .unknown
    }
}

extension KeyedDecodingContainer {
    /// Decodes an optional relation.
    @inlinable
    func decodeReference<Reference>(
        forKey key: Key,
        _ decode: () throws -> Reference
    ) throws -> Reference? {
        guard contains(key) else { return nil }
        guard let strategy = RelationStrategy.current else {
            return try decodeNil(forKey: key) ? nil : decode()
        }
        return try strategy.valid(at: codingPath + [key]) { () -> Reference? in
            // Some decoders read the value, and can fail.
            guard try decodeNil(forKey: key) else { return try decode() }
            _ = strategy.isUnknown(nullAt: codingPath + [key])
            return nil
        } ?? nil
    }

    /// Decodes a relation, without malformed elements if it's a collection.
    @usableFromInline
    func decodeValid<Reference: Decodable>(
        _ type: Reference.Type,
        forKey key: Key
    ) throws -> Reference {
        if let collection = type as? any ReferenceCollection.Type,
            let valid = try collection.validElements(in: self, forKey: key) as? Reference
        {
            return valid
        }
        return try decodeValue(type, forKey: key)
    }
}
