/// A container of values that each have a decoder.
struct DecoderList<Element: ValueDecoder>: UnkeyedDecodingContainer {
    private let elements: [Element]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(_ elements: [Element], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try next(Never.self).isNull else { return false }
        currentIndex += 1
        return true
    }

    // This method meets the requirements for the standard library's types, too.
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try next(type).value(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let container = try next(type).container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try next([Never].self).unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try next(Never.self)
        currentIndex += 1
        return decoder
    }

    private func next(_ type: Any.Type) throws -> Element {
        if !isAtEnd { return elements[currentIndex] }
        throw DecodingError.valueNotFound(
            type,
            .init(codingPath: codingPath, debugDescription: "The list has no further element.")
        )
    }
}
