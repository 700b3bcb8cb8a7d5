// The compiler chooses these overloads in the synthesized `init(from:)` of models, where it knows
// the type of the related entity. They decode identifiers and whole entities as directly as if the
// model declared them, and the code is specialized in the client. The initializer of `Related`
// can't be: decoders call it through the conformance. It decodes everything else.

extension KeyedDecodingContainer {
    /// Decodes a reference.
    ///
    /// See ``Related/init(from:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the reference.
    ///   - key: The key of the reference.
    /// - Returns: The reference.
    /// - Throws: A `DecodingError` if there is no reference for the key.
    @inlinable
    public func decode<Value: Identifiable & Decodable & Sendable>(
        _ type: Related<Value>.Type,
        forKey key: Key
    ) throws -> Related<Value> where Value.ID: Decodable & Sendable {
        guard Ingestion.areScopesImplicit else { return try decodeValue(type, forKey: key) }
        let current = Ingestion.currentOfTask
        guard let ingestion = current, ingestion.hasFoundObjects,
            ingestion.shape(of: Value.self) != .identifier
        else {
            if let id = try? decodeIdentifier(Value.ID.self, forKey: key) { return Related(id) }
            current?.prepareCollection(of: Value.self)
            return try decodeValue(type, forKey: key)
        }
        var relation = Relation<Value>(in: ingestion)
        if relation.expectsEntity {
            do {
                try EmbeddingDepth.enter(at: codingPath + [key])
                defer { EmbeddingDepth.leave() }
                let value = try decodeValue(Value.self, forKey: key)
                let reference = Related(value)
                relation.collect(value)
                return reference
            } catch {
                relation.rollBack()
                guard contains(key) else { throw error }
                // A decoder may have no nested decoders.
                guard let decoder = try? superDecoder(forKey: key) else {
                    return try decodeValue(type, forKey: key)
                }
                let decoding = RelationDecoding<Value>(decoder, ingestion)
                return Related(try decoding.recover(from: error, relation))
            }
        }
        return try decodeValue(type, forKey: key)
    }

    /// Decodes a reference, if there is one.
    ///
    /// See ``Related/init(from:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the reference.
    ///   - key: The key of the reference.
    /// - Returns: The reference, or `nil` if the key is absent or its value is null.
    /// - Throws: A `DecodingError` if the value isn't a reference.
    @inlinable
    public func decodeIfPresent<Value: Identifiable & Decodable & Sendable>(
        _ type: Related<Value>.Type,
        forKey key: Key
    ) throws -> Related<Value>? where Value.ID: Decodable & Sendable {
        try decodeReference(forKey: key) { try decode(type, forKey: key) }
    }

    /// Decodes an array of references.
    ///
    /// See ``Related/init(from:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the array.
    ///   - key: The key of the array.
    /// - Returns: The references.
    /// - Throws: A `DecodingError` if there is no array of references for the key.
    @inlinable
    public func decode<Value: Identifiable & Decodable & Sendable>(
        _ type: [Related<Value>].Type,
        forKey key: Key
    ) throws -> [Related<Value>] where Value.ID: Decodable & Sendable {
        if RelationStrategy.dropping != nil { return try decodeValid(type, forKey: key) }
        guard Ingestion.areScopesImplicit else { return try decodeValue(type, forKey: key) }
        guard let ingestion = Ingestion.currentOfTask else {
            return try decodeIdentifiers(Value.self, forKey: key)
                ?? decodeValue(type, forKey: key)
        }
        if !ingestion.hasFoundObjects || ingestion.shape(of: Value.self) == .identifier {
            if let references = decodeIdentifiers(Value.self, forKey: key) { return references }
        }
        // A decoder may have no nested containers.
        guard var container = try? nestedUnkeyedContainer(forKey: key) else {
            return try decodeValue(type, forKey: key)
        }
        return try Related<Value>.decodeElements(of: &container, in: ingestion)
    }

    /// Decodes an array of references, if there is one.
    ///
    /// See ``Related/init(from:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the array.
    ///   - key: The key of the array.
    /// - Returns: The references, or `nil` if the key is absent or its value is null.
    /// - Throws: A `DecodingError` if the value isn't an array of references.
    @inlinable
    public func decodeIfPresent<Value: Identifiable & Decodable & Sendable>(
        _ type: [Related<Value>].Type,
        forKey key: Key
    ) throws -> [Related<Value>]? where Value.ID: Decodable & Sendable {
        try decodeReference(forKey: key) { try decode(type, forKey: key) }
    }
}

extension KeyedDecodingContainer {
    // In a generic context, the calls below are the standard library's, not the overloads above.

    @inlinable
    func decodeValue<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decode(type, forKey: key)
    }

    /// Decodes an identifier.
    ///
    /// Decoders decode the standard library's own types faster if they are named.
    @inlinable
    func decodeIdentifier<ID: Decodable>(_ type: ID.Type, forKey key: Key) throws -> ID {
        if type == Int.self, let id = try decode(Int.self, forKey: key) as? ID { return id }
        if type == String.self, let id = try decode(String.self, forKey: key) as? ID { return id }
        return try decode(type, forKey: key)
    }

    /// Decodes an array of bare identifiers, or returns `nil` if it contains anything else.
    @inlinable
    func decodeIdentifiers<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        forKey key: Key
    ) -> [Related<Value>]? where Value.ID: Decodable & Sendable {
        guard var container = try? nestedUnkeyedContainer(forKey: key) else { return nil }
        return try? Related<Value>.decodeIdentifiers(in: &container)
    }
}

// A container in an existential type has no specialized methods, so these functions belong to the
// reference's type.

extension Related where Value.ID: Decodable {
    /// Decodes the remaining elements as bare identifiers, or throws an error if there are others.
    @inlinable
    static func decodeIdentifiers(
        in container: inout any UnkeyedDecodingContainer
    ) throws -> [Related] {
        var references: [Related] = []
        references.reserveCapacity(container.count ?? 0)
        // Decoders decode the standard library's own types faster if they are named.
        while !container.isAtEnd {
            let id =
                if Value.ID.self == Int.self, let id = try container.decode(Int.self) as? Value.ID {
                    id
                } else if Value.ID.self == String.self,
                    let id = try container.decode(String.self) as? Value.ID
                {
                    id
                } else {
                    try container.decode(Value.ID.self)
                }
            references.append(Related(id))
        }
        return references
    }
}

extension Related where Value: Decodable, Value.ID: Decodable {
    /// Decodes the remaining elements as references in any shape.
    @inlinable
    static func decodeElements(
        of container: inout any UnkeyedDecodingContainer,
        in ingestion: Ingestion
    ) throws -> [Related] {
        var references: [Related] = []
        references.reserveCapacity(container.count ?? 0)
        var relation = Relation<Value>(in: ingestion)
        while !container.isAtEnd {
            guard relation.expectsEntity else {
                references.append(try container.decode(Related.self))
                relation = Relation(in: ingestion)
                continue
            }
            let index = container.currentIndex
            do {
                try EmbeddingDepth.enter(at: container.codingPath + [AnyCodingKey(intValue: index)])
                defer { EmbeddingDepth.leave() }
                let value = try container.decode(Value.self)
                references.append(Related(value))
                relation.collect(value)
            } catch {
                relation.rollBack()
                // A container may leave out an element that it couldn't decode.
                guard container.currentIndex == index else { throw error }
                // Some decoders can't create a nested decoder for an element.
                if let decoder = try? container.superDecoder() {
                    let decoding = RelationDecoding<Value>(decoder, ingestion)
                    references.append(Related(try decoding.recover(from: error, relation)))
                } else {
                    references.append(try container.decode(Related.self))
                }
                relation = Relation(in: ingestion)
            }
        }
        return references
    }
}

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
