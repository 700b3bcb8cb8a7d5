import Foundation

/// An encoder that converts `Codable` values to property-list values, and rejects values that a
/// decoder couldn't restore.
///
/// Foundation's `PropertyListEncoder` doesn't reject them. It encodes the string `$null` in the
/// same way as `nil`, and a user may have entered that string. Its decoder then rejects the whole
/// value, or reads `nil` if the property is optional (observed with Swift 6.3 on Linux). It also
/// has no limit of depth, and it encodes a URL as a dictionary.
struct PropertyListValueEncoder: Encoder {
    let codingPath: [any CodingKey]
    let node: PropertyListNode

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Encodes a value.
    ///
    /// - Parameter value: The value.
    /// - Returns: The property-list form of the value.
    /// - Throws: ``PropertyListError`` with the path to an element that a property list can't hold,
    ///   or any error that the value throws.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    static func encode(_ value: some Encodable) throws -> PropertyListValue {
        let node = PropertyListNode()
        try PropertyListValueEncoder(codingPath: [], node: node).write(value)
        // A value that encodes nothing becomes an empty dictionary, as in JSON.
        return node.value ?? .dictionary([:])
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeDictionary()
        return KeyedEncodingContainer(KeyedPropertyListEncoder<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return UnkeyedPropertyListEncoder(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SinglePropertyListEncoder(encoder: self)
    }

    /// Returns an encoder for an element.
    func inside(_ key: any CodingKey, _ node: PropertyListNode) -> PropertyListValueEncoder {
        PropertyListValueEncoder(codingPath: codingPath + [key], node: node)
    }

    func writeNull() { node.become(.null) }

    func write<Value: Encodable>(_ value: Value) throws {
        guard codingPath.count <= PropertyListValue.maximumDepth else {
            throw PropertyListError(.tooDeep, path: codingPath.steps)
        }
        if let leaf = value as? any PropertyListLeaf {
            do {
                let value = try leaf.propertyListValue
                guard value != .null else {
                    throw PropertyListError(.unsupported("the text $null, which stands for nil"))
                }
                node.become(value)
            } catch let error as PropertyListError {
                throw PropertyListError(error.reason, path: codingPath.steps + error.path)
            }
        } else if let url = value as? URL {
            node.become(.string(url.absoluteString))
        } else {
            try value.encode(to: self)
            // Foundation's encoders do the same for values that encode nothing.
            if node.value == nil { node.becomeDictionary() }
        }
    }
}

/// A node of a property list that is being encoded.
///
/// One thread uses a node, during one call.
final class PropertyListNode {
    private enum Content {
        case nothing
        case value(PropertyListValue)
        case array([PropertyListNode])
        case dictionary([String: PropertyListNode])
    }

    private var content = Content.nothing

    /// The encoded value, or `nil` if nothing has been encoded.
    var value: PropertyListValue? {
        switch content {
        case .nothing: nil
        case .value(let value): value
        // A node without content belongs to an encoder that encoded nothing.
        case .array(let nodes): .array(nodes.map { $0.value ?? .dictionary([:]) })
        case .dictionary(let nodes): .dictionary(nodes.mapValues { $0.value ?? .dictionary([:]) })
        }
    }

    var count: Int {
        guard case .array(let nodes) = content else { return 0 }
        return nodes.count
    }

    func become(_ value: PropertyListValue) { content = .value(value) }

    func becomeArray() {
        if case .array = content { return }
        content = .array([])
    }

    func becomeDictionary() {
        if case .dictionary = content { return }
        content = .dictionary([:])
    }

    func append() -> PropertyListNode {
        let node = PropertyListNode()
        guard case .array(var nodes) = content else { return node }
        content = .nothing
        nodes.append(node)
        content = .array(nodes)
        return node
    }

    func insert(_ key: String) -> PropertyListNode {
        let node = PropertyListNode()
        guard case .dictionary(var nodes) = content else { return node }
        content = .nothing
        nodes[key] = node
        content = .dictionary(nodes)
        return node
    }
}

extension [any CodingKey] {
    /// The path in the form that errors use.
    var steps: [PropertyListError.Step] {
        map { key in key.intValue.map { .index($0) } ?? .key(key.stringValue) }
    }
}
