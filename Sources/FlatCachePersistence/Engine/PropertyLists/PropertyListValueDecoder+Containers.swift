struct KeyedPropertyListDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: PropertyListValueDecoder
    let values: [String: PropertyListValue]

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { values.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { values[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try inside(key).isNull }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try inside(key).read(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try inside(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try inside(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try inside(PropertyListCodingKey.super) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try inside(key) }

    private func inside(_ key: any CodingKey) throws -> PropertyListValueDecoder {
        guard let value = values[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key,
                decoder.context("There is no value for the key '\(key.stringValue)'.")
            )
        }
        return decoder.inside(key, value)
    }
}

struct UnkeyedPropertyListDecoder: UnkeyedDecodingContainer {
    let decoder: PropertyListValueDecoder
    let values: [PropertyListValue]
    private(set) var currentIndex = 0

    init(decoder: PropertyListValueDecoder, values: [PropertyListValue]) {
        self.decoder = decoder
        self.values = values
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex >= values.count }

    mutating func decodeNil() throws -> Bool {
        guard try inside(Never?.self).isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try advance(type) { try $0.read(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try advance([String: Any].self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try advance([Any].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder {
        try advance((any Decoder).self) { $0 }
    }

    /// Decodes the next value, and advances only if decoding succeeds.
    private mutating func advance<Result>(
        _ type: Any.Type,
        _ body: (PropertyListValueDecoder) throws -> Result
    ) throws -> Result {
        let result = try body(try inside(type))
        currentIndex += 1
        return result
    }

    private func inside(_ type: Any.Type) throws -> PropertyListValueDecoder {
        let key = PropertyListCodingKey(intValue: currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                decoder.context("There are only \(values.count) values.")
            )
        }
        return decoder.inside(key, values[currentIndex])
    }
}

struct SinglePropertyListDecoder: SingleValueDecodingContainer {
    let decoder: PropertyListValueDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.isNull }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.read(type) }
}
