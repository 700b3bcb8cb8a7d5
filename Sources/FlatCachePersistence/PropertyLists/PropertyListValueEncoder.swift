import Foundation

/// Turns `Codable` values into property-list values, and refuses those that would not come back.
///
/// Foundation's `PropertyListEncoder` does not: it writes the text `$null`, which somebody may have
/// typed, as it writes `nil`, and its decoder then refuses the whole value, or reads `nil` where that
/// may be (tried with Swift 6.3 on Linux). It also writes to any depth, and a URL as a dictionary.
struct PropertyListValueEncoder: Encoder {
    let codingPath: [any CodingKey]
    let node: PropertyListNode

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Encodes a value.
    ///
    /// - Parameter value: The value.
    /// - Returns: What a property list holds for it.
    /// - Throws: ``PropertyListError`` with the path to what cannot be held, or what the value
    ///   throws.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    static func encode(_ value: some Encodable) throws -> PropertyListValue {
        let node = PropertyListNode()
        try PropertyListValueEncoder(codingPath: [], node: node).write(value)
        // A value that encodes nothing is an empty object, as it is in JSON.
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

    /// An encoder for what lies inside.
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

/// One place of a property list that is being made.
///
/// Used by one thread, within one call.
final class PropertyListNode {
    private enum Content {
        case nothing
        case value(PropertyListValue)
        case array([PropertyListNode])
        case dictionary([String: PropertyListNode])
    }

    private var content = Content.nothing

    /// What lies here; `nil` if nothing has been written.
    var value: PropertyListValue? {
        switch content {
        case .nothing: nil
        case .value(let value): value
        // What nothing was written to was asked for and left empty.
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
    /// The path as an error tells it.
    var steps: [PropertyListError.Step] {
        map { key in key.intValue.map { .index($0) } ?? .key(key.stringValue) }
    }
}
