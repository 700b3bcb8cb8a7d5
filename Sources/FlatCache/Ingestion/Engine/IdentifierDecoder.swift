/// A decoder that shows only the key `id` of an object.
///
/// It finds out whether a type can be decoded from an identifier alone. For such a type, the
/// object `{"id": 7}` could be a reference or a whole entity.
struct IdentifierDecoder: Decoder {
    /// The requests of a type.
    final class Outcome {
        /// `true` if a type asked for more than the keys of the object.
        var isUnclear = false
        /// `true` if a type looked for the key `id` in an object that doesn't have it.
        ///
        /// The type may treat an object with the key in another way.
        fileprivate(set) var isIdentifierMissed = false
    }

    /// Marks the errors that report a key other than `id`, whatever the identifier is.
    struct OtherKey: Error {}

    /// Returns whether the error of an attempt means that the type requires another key than `id`.
    static func isMissingKey(_ error: any Error) -> Bool {
        (error as? DecodingError)?.context?.underlyingError is OtherKey
    }

    let base: any Decoder
    let outcome: Outcome

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(
            IdentifierContainer(base: try base.container(keyedBy: type), outcome: outcome)
        )
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try base.unkeyedContainer()
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        outcome.isUnclear = true
        return try base.singleValueContainer()
    }
}

private struct IdentifierContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    let outcome: IdentifierDecoder.Outcome

    var codingPath: [any CodingKey] { base.codingPath }

    var allKeys: [Key] {
        let keys = base.allKeys.filter { $0.stringValue == "id" }
        if keys.isEmpty { outcome.isIdentifierMissed = true }
        return keys
    }

    func contains(_ key: Key) -> Bool {
        guard key.stringValue == "id" else { return false }
        let isPresent = base.contains(key)
        if !isPresent { outcome.isIdentifierMissed = true }
        return isPresent
    }

    func decodeNil(forKey key: Key) throws -> Bool { try base(key).decodeNil(forKey: key) }

    // This method meets the requirements for the standard library's types, too.
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try base(key).decode(type, forKey: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try base(key).nestedContainer(keyedBy: type, forKey: key)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try base(key).nestedUnkeyedContainer(forKey: key)
    }

    func superDecoder() throws -> any Decoder {
        outcome.isUnclear = true
        return try base.superDecoder()
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try base(key).superDecoder(forKey: key)
    }

    /// Returns the base, or throws an error if it's asked for another key than `id`.
    private func base(_ key: Key) throws -> KeyedDecodingContainer<Key> {
        if contains(key) { return base }
        throw DecodingError.keyNotFound(
            key,
            .init(
                codingPath: codingPath,
                debugDescription: "The object is an identifier.",
                underlyingError: key.stringValue == "id" ? nil : IdentifierDecoder.OtherKey()
            )
        )
    }
}

/// A key of an object whose keys are unknown.
@usableFromInline
struct AnyCodingKey: CodingKey {
    static let id = AnyCodingKey(stringValue: "id")

    @usableFromInline let stringValue: String
    @usableFromInline let intValue: Int?

    @usableFromInline
    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    @usableFromInline
    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

extension [any CodingKey] {
    /// The keys as text, such as `items[1].author`.
    var path: String {
        reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
