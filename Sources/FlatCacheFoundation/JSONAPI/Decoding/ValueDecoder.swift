import FlatCache

/// A decoder whose data is a single value of some type: a resource or an identifier.
protocol ValueDecoder: Decoder {
    var isNull: Bool { get }

    /// Decodes a value of a type.
    ///
    /// The method decides by the type: a reference is decoded from other parts of a resource than
    /// an entity. If it hands a type this decoder, the type must not be one of the standard
    /// library's types that containers decode.
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value
}

extension ValueDecoder {
    func singleValueContainer() -> any SingleValueDecodingContainer {
        SingleValueContainer(decoder: self)
    }

    /// Returns an error for data that isn't of a type.
    func mismatch(_ type: Any.Type, _ description: String) -> DecodingError {
        .typeMismatch(type, .init(codingPath: codingPath, debugDescription: description))
    }
}

private struct SingleValueContainer: SingleValueDecodingContainer {
    let decoder: any ValueDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.isNull }

    // This method meets the requirements for the standard library's types, too.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.value(type) }
}

/// The types that containers decode.
///
/// Their own initializers call the container, so handing them the decoder would never end.
enum ContainerTypes {
    static func contains(_ type: Any.Type) -> Bool {
        type == String.self || type == Bool.self || type is any FixedWidthInteger.Type
            || type is any BinaryFloatingPoint.Type
    }
}
