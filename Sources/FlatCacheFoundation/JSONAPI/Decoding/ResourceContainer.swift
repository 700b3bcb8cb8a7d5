import FlatCache

/// The keyed container of a resource: its identifier, attributes and relationships.
///
/// The decoder's strategy for keys applies to attributes and relationships.
struct ResourceContainer<Key: CodingKey>: MemberContainer {
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

    // Most members are attributes, which need no decoder of their own.
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        if let attributes, attributes.contains(key), !identifier.contains(key) {
            return try attributes.decode(type, forKey: key)
        }
        return try member(key).value(type)
    }

    /// Returns a decoder of the attribute `super`.
    func superDecoder() throws -> any Decoder {
        guard let attributes else { return try identifier.superDecoder() }
        return try attributes.superDecoder()
    }

    private func isAttribute(_ key: Key) -> Bool { attributes?.contains(key) ?? false }

    /// Returns `true` if the resource has a relationship whose data the document contains.
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

    func member(_ key: Key) throws -> any ValueDecoder {
        if identifier.contains(key) { return try identifier.member(key) }
        if let attributes, attributes.contains(key) {
            return AttributeDecoder(attributes: attributes, key: key, userInfo: store.userInfo)
        }
        if let relationships, isRelationship(key) { return try linkage(key, relationships) }
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

/// A decoder of an attribute.
private struct AttributeDecoder<Key: CodingKey>: ValueDecoder {
    let attributes: KeyedDecodingContainer<Key>
    let key: Key
    let userInfo: [CodingUserInfoKey: Any]

    var codingPath: [any CodingKey] { attributes.codingPath + [key] }
    var isNull: Bool { (try? attributes.decodeNil(forKey: key)) ?? false }

    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try attributes.decode(type, forKey: key)
    }

    func container<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try attributes.nestedContainer(keyedBy: type, forKey: key)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try attributes.nestedUnkeyedContainer(forKey: key)
    }
}
