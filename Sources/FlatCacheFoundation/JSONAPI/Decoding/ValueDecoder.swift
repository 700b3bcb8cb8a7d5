import FlatCache

/// A container of values that each have a decoder.
///
/// The container can leave out elements of the document. The current index counts them, so that
/// errors contain the indices of the document. It can exceed the count.
struct DecoderList<Element: ValueDecoder>: UnkeyedDecodingContainer {
    /// The decoders with their indices in the document.
    let elements: [(index: Int, decoder: Element)]
    let codingPath: [any CodingKey]
    /// The number of elements that have been decoded.
    var position = 0

    var count: Int? { elements.count }
    var isAtEnd: Bool { position == elements.count }

    var currentIndex: Int {
        if !isAtEnd { return elements[position].index }
        return elements.last.map { $0.index + 1 } ?? 0
    }

    mutating func decodeNil() throws -> Bool {
        guard try next(Never.self).isNull else { return false }
        position += 1
        return true
    }

    // This method meets the requirements for the standard library's types, too.
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try take(type) { try $0.value(type) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try take(type) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try take([Never].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try take(Never.self) { $0 } }

    /// Advances to the next element after a closure has used the current one without an error.
    private mutating func take<Result>(
        _ type: Any.Type,
        _ body: (Element) throws -> Result
    ) throws -> Result {
        let result = try body(next(type))
        position += 1
        return result
    }

    private func next(_ type: Any.Type) throws -> Element {
        if !isAtEnd { return elements[position].decoder }
        throw DecodingError.valueNotFound(
            type,
            .init(codingPath: codingPath, debugDescription: "The list has no further element.")
        )
    }
}

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

/// A keyed container whose members each have a decoder.
protocol MemberContainer: KeyedDecodingContainerProtocol {
    func member(_ key: Key) throws -> any ValueDecoder
}

extension MemberContainer {
    func decodeNil(forKey key: Key) throws -> Bool { try member(key).isNull }

    // This method meets the requirements for the standard library's types, too.
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try member(key).value(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
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
