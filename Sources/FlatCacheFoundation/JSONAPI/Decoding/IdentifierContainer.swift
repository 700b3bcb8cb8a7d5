/// The keyed container of a resource's type and identifier.
struct IdentifierContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let identifier: ResourceIdentifier
    /// The key under which the container has the name of the type.
    let typeKey: String
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]

    var allKeys: [Key] { ["id", typeKey].compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { key.stringValue == "id" || key.stringValue == typeKey }

    func decodeNil(forKey key: Key) throws -> Bool { try text(key).isNull }

    // This method meets the requirements for the standard library's types, too.
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try text(key).value(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try text(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try text(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        throw DecodingError.dataCorrupted(
            .init(codingPath: codingPath, debugDescription: "An identifier has no superclass.")
        )
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try text(key) }

    private func text(_ key: Key) throws -> IdentifierText {
        guard contains(key) else {
            throw DecodingError.keyNotFound(
                key,
                .init(
                    codingPath: codingPath,
                    debugDescription: "A resource's identifier contains no such key."
                )
            )
        }
        return IdentifierText(
            text: key.stringValue == "id" ? identifier.id : identifier.type,
            codingPath: codingPath + [key],
            userInfo: userInfo
        )
    }
}
