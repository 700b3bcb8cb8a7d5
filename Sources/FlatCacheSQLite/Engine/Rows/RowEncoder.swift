#if canImport(SQLite3) || canImport(CSQLite)
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
