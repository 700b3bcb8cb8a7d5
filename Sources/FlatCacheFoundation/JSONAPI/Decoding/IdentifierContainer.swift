#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The keyed container of a resource's type and identifier.
struct IdentifierContainer<Key: CodingKey>: MemberContainer {
    let identifier: ResourceIdentifier
    /// The key under which the container has the name of the type.
    let typeKey: String
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]

    var allKeys: [Key] { ["id", typeKey].compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { key.stringValue == "id" || key.stringValue == typeKey }

    func superDecoder() throws -> any Decoder {
        throw DecodingError.dataCorrupted(
            .init(codingPath: codingPath, debugDescription: "An identifier has no superclass.")
        )
    }

    func member(_ key: Key) throws -> any ValueDecoder {
        guard contains(key) else {
            throw DecodingError.keyNotFound(
                key,
                .init(
                    codingPath: codingPath,
                    debugDescription: "A resource's identifier contains no such key."
                )
            )
        }
        return IdentifierText(
            text: key.stringValue == "id" ? identifier.id : identifier.type,
            codingPath: codingPath + [key],
            userInfo: userInfo
        )
    }
}

/// A decoder of an identifier.
///
/// Identifiers are strings in documents and can have other types in models.
struct IdentifierText: ValueDecoder {
    let text: String
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]

    var isNull: Bool { false }

    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if !Self.reads(type) { return try Value(from: self) }
        if let value = standardValue(type) as? Value { return value }
        throw mismatch(type, "The id \"\(text)\" isn't the text of a value of the type \(type).")
    }

    /// Returns a Boolean value that indicates whether values of a type are made from the text as a
    /// whole.
    ///
    /// `JSONDecoder` decodes `URL` and `Decimal` from single values, although their own
    /// conformances use other containers.
    static func reads(_ type: Any.Type) -> Bool {
        ContainerTypes.contains(type) || type == URL.self || type == Decimal.self
    }

    private func standardValue(_ type: Any.Type) -> Any? {
        if type == String.self { return text }
        if type == URL.self { return URL(string: text) }
        if type == Decimal.self { return decimal }
        return number(type)
    }

    private var decimal: Decimal? {
        guard let value = Decimal(string: text), value.description == text else { return nil }
        return value
    }

    /// Returns the number that the text is the only notation of.
    ///
    /// The ids "7" and "07" belong to two resources that must not become one entity.
    private func number(_ type: Any.Type) -> Any? {
        guard let type = type as? any LosslessStringConvertible.Type else { return nil }
        return type is any Numeric.Type ? canonicalValue(type) : nil
    }

    private func canonicalValue(_ type: (some LosslessStringConvertible).Type) -> Any? {
        guard let value = type.init(text), value.description == text else { return nil }
        return value
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw mismatch(Value.self, "The id \"\(text)\" is a string, not an object.")
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw mismatch(Value.self, "The id \"\(text)\" is a string, not an array.")
    }

    private typealias Value = [String: Never]
}
