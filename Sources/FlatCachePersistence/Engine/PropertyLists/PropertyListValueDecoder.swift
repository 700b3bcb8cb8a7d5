import Foundation

/// A decoder that creates `Codable` values from property-list values, without implicit conversions.
struct PropertyListValueDecoder: Decoder {
    let codingPath: [any CodingKey]
    let value: PropertyListValue

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes a value.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - value: The property-list form of the value.
    /// - Returns: The value.
    /// - Throws: `DecodingError`, or any error that the type throws.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    static func decode<Value: Decodable>(
        _ type: Value.Type,
        from value: PropertyListValue
    ) throws -> Value {
        try PropertyListValueDecoder(codingPath: [], value: value).read(type)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .dictionary(let values) = value else {
            throw mismatch([String: Any].self, "a dictionary")
        }
        return KeyedDecodingContainer(KeyedPropertyListDecoder(decoder: self, values: values))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let values) = value else { throw mismatch([Any].self, "an array") }
        return UnkeyedPropertyListDecoder(decoder: self, values: values)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        SinglePropertyListDecoder(decoder: self)
    }

    /// Returns a decoder for an element.
    func inside(_ key: any CodingKey, _ value: PropertyListValue) -> PropertyListValueDecoder {
        PropertyListValueDecoder(codingPath: codingPath + [key], value: value)
    }

    var isNull: Bool { value == .null }

    func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard codingPath.count <= PropertyListValue.maximumDepth else {
            throw corrupted(PropertyListError(.tooDeep))
        }
        if let leaf = type as? any PropertyListLeaf.Type {
            return try read(leaf, as: type)
        }
        if type == URL.self, case .string(let text) = value {
            guard let url = URL(string: text) as? Value else {
                throw corrupted(
                    PropertyListError(.mismatch(expected: "a URL", found: "another string"))
                )
            }
            return url
        }
        return try type.init(from: self)
    }

    private func read<Leaf: PropertyListLeaf, Value>(
        _ leaf: Leaf.Type,
        as type: Value.Type
    ) throws -> Value {
        guard !isNull else {
            throw DecodingError.valueNotFound(type, context("There is no value."))
        }
        do {
            if let value = try leaf.init(propertyListValue: value) as? Value { return value }
        } catch let error as PropertyListError {
            guard case .mismatch = error.reason else { throw corrupted(error) }
            throw DecodingError.typeMismatch(type, context("\(error)", error))
        }
        throw mismatch(type, "\(type)")
    }

    private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let error = value.mismatch(expected: expected)
        return isNull
            ? .valueNotFound(type, context("There is no value.", error))
            : .typeMismatch(type, context("\(error)", error))
    }

    private func corrupted(_ error: PropertyListError) -> DecodingError {
        .dataCorrupted(context("\(error)", error))
    }

    func context(
        _ description: String,
        _ error: (any Error)? = nil
    ) -> DecodingError.Context {
        DecodingError.Context(
            codingPath: codingPath,
            debugDescription: description,
            underlyingError: error
        )
    }
}
