struct KeyedPropertyListEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: PropertyListValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) { inside(key).writeNull() }

    func encode(_ value: some Encodable, forKey key: Key) throws { try inside(key).write(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        inside(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        inside(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { inside(PropertyListCodingKey.super) }

    func superEncoder(forKey key: Key) -> any Encoder { inside(key) }

    private func inside(_ key: any CodingKey) -> PropertyListValueEncoder {
        // A key with an integer value is stored as its string, because dictionary keys are strings.
        encoder.inside(key, encoder.node.insert(key.stringValue))
    }
}

struct UnkeyedPropertyListEncoder: UnkeyedEncodingContainer {
    let encoder: PropertyListValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.count }

    func encodeNil() { inside().writeNull() }

    func encode(_ value: some Encodable) throws { try inside().write(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        inside().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { inside().unkeyedContainer() }

    func superEncoder() -> any Encoder { inside() }

    private func inside() -> PropertyListValueEncoder {
        let key = PropertyListCodingKey(intValue: count)
        return encoder.inside(key, encoder.node.append())
    }
}

struct SinglePropertyListEncoder: SingleValueEncodingContainer {
    let encoder: PropertyListValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() { encoder.writeNull() }

    func encode(_ value: some Encodable) throws { try encoder.write(value) }
}
