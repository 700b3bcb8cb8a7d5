#if canImport(SQLite3) || canImport(CSQLite)
/// The decoder of one value of a row.
struct RowDecoder: Decoder {
    let reader: RowReader
    let position: Int

    var codingPath: [any CodingKey] { reader.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        let range = try reader.contents(RowTag.keyed, [String: Any].self, at: position)
        let number = reader.beginContainer(range)
        return KeyedDecodingContainer(RowKeyedDecodingContainer(reader: reader, number: number))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let range = try reader.contents(RowTag.unkeyed, [Any].self, at: position)
        return RowUnkeyedDecodingContainer(reader: reader, range: range)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        RowSingleValueDecodingContainer(reader: reader, position: position)
    }
}

// A generic method implements the requirements for all primitive types.

struct RowKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let reader: RowReader
    let number: Int

    var codingPath: [any CodingKey] { reader.path }

    var allKeys: [Key] {
        // The requirement can't throw. The keys of damaged data can't be decoded in any case.
        ((try? reader.keys(in: number)) ?? []).compactMap { Key(stringValue: $0) }
    }

    func contains(_ key: Key) -> Bool { (try? reader.find(key, in: number)) != nil }

    private func position(_ key: some CodingKey) throws -> Int {
        if let position = try reader.find(key, in: number) { return position }
        throw DecodingError.keyNotFound(key, reader.context("The row lacks the key.", key: key))
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        var position = try position(key)
        return try reader.readNil(at: &position)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        var position = try position(key)
        return try reader.read(type, at: &position, key: key)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard var position = try reader.find(key, in: number),
            try !reader.readNil(at: &position)
        else { return nil }
        return try reader.read(type, at: &position, key: key)
    }

    private func decoder(_ key: some CodingKey) throws -> RowDecoder {
        RowDecoder(reader: reader, position: try position(key))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(RowKey.superclass) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

struct RowUnkeyedDecodingContainer: UnkeyedDecodingContainer {
    let reader: RowReader
    private let end: Int
    private var position: Int
    private(set) var currentIndex = 0

    init(reader: RowReader, range: Range<Int>) {
        self.reader = reader
        position = range.lowerBound
        end = range.upperBound
    }

    var codingPath: [any CodingKey] { reader.path }
    /// The row doesn't contain the number of elements.
    var count: Int? { nil }
    var isAtEnd: Bool { position >= end }

    private func checkNotAtEnd(_ type: any Any.Type) throws {
        guard isAtEnd else { return }
        let key = RowKey.index(currentIndex)
        let context = reader.context("The container has no more elements.", key: key)
        throw DecodingError.valueNotFound(type, context)
    }

    mutating func decodeNil() throws -> Bool {
        try checkNotAtEnd(Any?.self)
        guard try reader.readNil(at: &position) else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try checkNotAtEnd(type)
        let key = RowKey.index(currentIndex)
        // The position changes only if the element can be decoded.
        var next = position
        let value = try reader.read(type, at: &next, key: key)
        position = next
        currentIndex += 1
        return value
    }

    private mutating func decoder(_ type: any Any.Type) throws -> RowDecoder {
        try checkNotAtEnd(type)
        let start = position
        position = try reader.end(ofValueAt: start)
        currentIndex += 1
        return RowDecoder(reader: reader, position: start)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder([String: Any].self).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try decoder([Any].self).unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try decoder((any Decoder).self) }
}

struct RowSingleValueDecodingContainer: SingleValueDecodingContainer {
    let reader: RowReader
    let position: Int

    var codingPath: [any CodingKey] { reader.path }

    func decodeNil() -> Bool {
        var position = position
        return (try? reader.readNil(at: &position)) ?? false
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        var position = position
        return try reader.read(type, at: &position, key: nil)
    }
}
#endif
