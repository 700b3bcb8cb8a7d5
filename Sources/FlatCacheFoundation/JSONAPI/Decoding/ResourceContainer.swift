import FlatCache

/// The keyed container of a resource: its identifier, attributes and relationships.
///
/// The decoder's strategy for keys applies to attributes and relationships.
struct ResourceContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private enum RelationshipKey: CodingKey {
        case data
    }

    private let identifier: IdentifierContainer<Key>
    private let attributes: KeyedDecodingContainer<Key>?
    private let relationships: KeyedDecodingContainer<Key>?
    private let store: ResourceStore

    init(_ resource: Resource, _ store: ResourceStore) throws {
        let object = resource.object
        identifier = IdentifierContainer(
            identifier: resource.identifier,
            typeKey: "type",
            codingPath: object.codingPath,
            userInfo: store.userInfo
        )
        func fields(_ key: Resource.Key) throws -> KeyedDecodingContainer<Key>? {
            guard object.contains(key) else { return nil }
            return try object.nestedContainer(keyedBy: Key.self, forKey: key)
        }
        attributes = try fields(.attributes)
        relationships = try fields(.relationships)
        self.store = store
    }

    var codingPath: [any CodingKey] { identifier.codingPath }

    var allKeys: [Key] {
        identifier.allKeys + (attributes?.allKeys ?? [])
            + (relationships?.allKeys.filter(isRelationship) ?? [])
    }

    func contains(_ key: Key) -> Bool {
        identifier.contains(key) || isAttribute(key) || isRelationship(key)
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        switch try field(key) {
        case .identifier: try identifier.decodeNil(forKey: key)
        case .attribute(let attributes): try attributes.decodeNil(forKey: key)
        case .relationship(let linkage): linkage.isNull
        }
    }

    // This method meets the requirements for the standard library's types, too.
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        switch try field(key) {
        case .identifier: try identifier.decode(type, forKey: key)
        case .attribute(let attributes): try attributes.decode(type, forKey: key)
        case .relationship(let linkage): try linkage.value(type)
        }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        switch try field(key) {
        case .identifier: try identifier.nestedContainer(keyedBy: type, forKey: key)
        case .attribute(let attributes): try attributes.nestedContainer(keyedBy: type, forKey: key)
        case .relationship(let linkage): try linkage.container(keyedBy: type)
        }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        switch try field(key) {
        case .identifier: try identifier.nestedUnkeyedContainer(forKey: key)
        case .attribute(let attributes): try attributes.nestedUnkeyedContainer(forKey: key)
        case .relationship(let linkage): try linkage.unkeyedContainer()
        }
    }

    /// Returns a decoder of the attribute `super`.
    func superDecoder() throws -> any Decoder {
        guard let attributes else { return try identifier.superDecoder() }
        return try attributes.superDecoder()
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        switch try field(key) {
        case .identifier: try identifier.superDecoder(forKey: key)
        case .attribute(let attributes): try attributes.superDecoder(forKey: key)
        case .relationship(let linkage): linkage
        }
    }
}

extension ResourceContainer {
    private enum Field {
        case identifier
        case attribute(KeyedDecodingContainer<Key>)
        case relationship(LinkageDecoder)
    }

    private func isAttribute(_ key: Key) -> Bool { attributes?.contains(key) ?? false }

    /// Returns a Boolean value that indicates whether a resource has a relationship whose data the
    /// document contains.
    ///
    /// A malformed relationship counts, so that decoding it throws an error.
    private func isRelationship(_ key: Key) -> Bool {
        guard let relationships, relationships.contains(key) else { return false }
        let relationship = try? relationships.nestedContainer(
            keyedBy: RelationshipKey.self,
            forKey: key
        )
        return relationship?.contains(.data) ?? true
    }

    private func field(_ key: Key) throws -> Field {
        if identifier.contains(key) { return .identifier }
        if let attributes, attributes.contains(key) { return .attribute(attributes) }
        if let relationships, isRelationship(key) {
            return .relationship(try linkage(key, relationships))
        }
        throw DecodingError.keyNotFound(
            key,
            .init(
                codingPath: codingPath,
                debugDescription: "There is no attribute and no relationship of this name."
            )
        )
    }

    private func linkage(
        _ key: Key,
        _ relationships: KeyedDecodingContainer<Key>
    ) throws -> LinkageDecoder {
        let relationship = try relationships.nestedContainer(
            keyedBy: RelationshipKey.self,
            forKey: key
        )
        let linkage: LinkageDecoder.Linkage =
            if try relationship.decodeNil(forKey: .data) {
                .null
            } else if var list = try? relationship.nestedUnkeyedContainer(forKey: .data) {
                .many(try elements(of: &list))
            } else {
                .one(try relationship.decode(ResourceIdentifier.self, forKey: .data))
            }
        return LinkageDecoder(
            linkage: linkage,
            store: store,
            codingPath: relationship.codingPath + [RelationshipKey.data]
        )
    }

    private func elements(
        of list: inout any UnkeyedDecodingContainer
    ) throws -> [LinkageDecoder.Linkage] {
        var elements: [LinkageDecoder.Linkage] = []
        while !list.isAtEnd {
            let decoder = try list.superDecoder()
            do {
                elements.append(.one(try ResourceIdentifier(from: decoder)))
            } catch {
                elements.append(.malformed(error))
            }
        }
        return elements
    }
}
