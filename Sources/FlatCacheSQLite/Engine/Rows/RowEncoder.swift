#if canImport(SQLite3) || canImport(CSQLite)
/// The first byte of an encoded value.
///
/// A byte below 128 is an integer itself. A byte from `shortString` on is a string; its length in
/// bytes is added to `shortString`. Other tags are followed by the value: numbers in little-endian
/// order; strings, bytes and containers by their size, then by their contents. A size below 255 is
/// one byte. A greater size is the byte 255 and four more.
///
/// A keyed container consists of pairs of a key and a value. A key is a size and a string. An
/// unkeyed container consists of values.
enum RowTag {
    static let null: UInt8 = 0x80
    static let no: UInt8 = 0x81
    static let yes: UInt8 = 0x82
    static let int8: UInt8 = 0x83
    static let int16: UInt8 = 0x84
    static let int32: UInt8 = 0x85
    static let int64: UInt8 = 0x86
    static let uint64: UInt8 = 0x87
    static let float: UInt8 = 0x88
    static let double: UInt8 = 0x89
    static let string: UInt8 = 0x8A
    static let bytes: UInt8 = 0x8B
    static let unkeyed: UInt8 = 0x8C
    static let keyed: UInt8 = 0x8D
    static let shortString: UInt8 = 0xC0

    /// The maximum length of a string whose length is part of the tag.
    static let maximumShortStringLength = Int(UInt8.max - shortString)
    /// The first byte of a size of four more bytes.
    static let longSize: UInt8 = 0xFF
    /// The maximum size of a row, so that sizes in it take four bytes.
    static let maximumSize = Int(UInt32.max)
    static let maximumDepth = 256
}

/// The key of an element of an unkeyed container, or of the encoding of a superclass.
enum RowKey: CodingKey {
    case index(Int)
    case superclass

    init?(stringValue: String) { return nil }

    init?(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .index(let index): "Index \(index)"
        case .superclass: "super"
        }
    }

    var intValue: Int? {
        switch self {
        case .index(let index): index
        case .superclass: nil
        }
    }
}

/// The encoder of one value of a row.
struct RowEncoder: Encoder {
    let writer: RowWriter
    let level: Int

    var codingPath: [any CodingKey] { writer.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        writer.keyedContainer(type, of: level)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        writer.beginContainer(.unkeyed, of: level)
        return RowUnkeyedEncodingContainer(writer: writer, level: level)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        RowSingleValueEncodingContainer(writer: writer)
    }
}

// A generic method implements the requirements for all primitive types.

struct RowKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: RowWriter

    var codingPath: [any CodingKey] { writer.path }

    func encodeNil(forKey key: Key) {
        writer.write(key)
        writer.writeNil()
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let start = writer.bytes.count
        writer.write(key)
        if writer.writePrimitive(value) { return }
        try writer.writeComposite(value, key: key, orRemoveFrom: start)
    }

    // The default implementation of the standard library would call `encode(_:forKey:)` by way of
    // another witness.
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) }
    }

    private func child(_ key: some CodingKey) -> RowEncoder {
        writer.write(key)
        return RowEncoder(writer: writer.child(key: key), level: 0)
    }

    /// Returns the encoder of the container that was requested for a key before, or of a new one.
    private func child(_ key: Key, _ shape: RowWriter.Level.Shape) -> RowEncoder {
        if let child = writer.child(key: key, shape: shape) {
            return RowEncoder(writer: child, level: 0)
        }
        return child(key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        child(key, .keyed).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        child(key, .unkeyed).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        writer.keys.mayRepeat = true
        return child(RowKey.superclass)
    }

    func superEncoder(forKey key: Key) -> any Encoder { child(key) }
}

struct RowUnkeyedEncodingContainer: UnkeyedEncodingContainer {
    let writer: RowWriter
    let level: Int

    var codingPath: [any CodingKey] { writer.path }
    var count: Int { writer.count(of: level) }

    func encodeNil() {
        writer.countElement(of: level)
        writer.writeNil()
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        if !writer.writePrimitive(value) {
            let key = RowKey.index(count)
            try writer.writeComposite(value, key: key, orRemoveFrom: writer.bytes.count)
        }
        writer.countElement(of: level)
    }

    private func child() -> RowEncoder {
        defer { writer.countElement(of: level) }
        return RowEncoder(writer: writer.child(key: RowKey.index(count)), level: 0)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        child().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }

    func superEncoder() -> any Encoder { child() }
}

struct RowSingleValueEncodingContainer: SingleValueEncodingContainer {
    let writer: RowWriter

    var codingPath: [any CodingKey] { writer.path }

    func encodeNil() { writer.writeNil() }

    func encode<Value: Encodable>(_ value: Value) throws {
        if writer.writePrimitive(value) { return }
        try writer.writeComposite(value, orRemoveFrom: writer.bytes.count)
    }
}

/// The keyed containers of a writer, by the types of their keys.
///
/// A container has no state besides its writer. The writer therefore uses one container for all
/// values with these keys. Making a container takes about as long as encoding five properties.
struct KeyedContainers {
    private final class Kept<Key: CodingKey> {
        let container: KeyedEncodingContainer<Key>

        init(_ container: KeyedEncodingContainer<Key>) { self.container = container }
    }

    private var containers: [(keyType: ObjectIdentifier, kept: AnyObject)] = []

    /// Returns the container for keys of a type, with a strong reference to the writer.
    mutating func container<Key: CodingKey>(
        _ keyType: Key.Type,
        for writer: RowWriter
    ) -> KeyedEncodingContainer<Key> {
        let identifier = ObjectIdentifier(keyType)
        for known in containers where known.keyType == identifier {
            // The type of the keys determines the type of the object.
            return unsafeDowncast(known.kept, to: Kept<Key>.self).container
        }
        let container = KeyedEncodingContainer(RowKeyedEncodingContainer<Key>(writer: writer))
        containers.append((identifier, Kept(container)))
        return container
    }
}
#endif
