extension Known: Decodable where Value: Decodable {
    /// Decodes null or a value.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: An error if the value can't be decoded.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = container.decodeNil() ? .null : .value(try container.decode(Value.self))
    }
}

extension Known: Encodable where Value: Encodable {
    /// Encodes null or a value.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: `EncodingError.invalidValue` if the value is unknown, or an error if it can't be
    ///   encoded.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .unknown:
            let reason =
                "Only a stored property can omit an unknown value."
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(codingPath: encoder.codingPath, debugDescription: reason)
            )
        case .null: try container.encodeNil()
        case .value(let value): try container.encode(value)
        }
    }
}

// The compiler calls these methods in the code that it writes for `Codable`, since they are more
// specific than the container's own. The frequent types get the container's methods for exactly
// these types, which need no decoder or encoder for the value. The optimizer removes the
// comparisons.

extension KeyedDecodingContainer {
    /// Decodes a value that is unknown if the key is absent.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - key: The key of the value.
    /// - Throws: An error if the value is neither null nor of the type.
    @inlinable
    public func decode<Value: Decodable>(
        _ type: Known<Value>.Type,
        forKey key: Key
    ) throws -> Known<Value> {
        let value: Value? =
            if Value.self == Int.self {
                try decodeIfPresent(Int.self, forKey: key).flatMap { $0 as? Value }
            } else if Value.self == String.self {
                try decodeIfPresent(String.self, forKey: key).flatMap { $0 as? Value }
            } else if Value.self == Bool.self {
                try decodeIfPresent(Bool.self, forKey: key).flatMap { $0 as? Value }
            } else if Value.self == Double.self {
                try decodeIfPresent(Double.self, forKey: key).flatMap { $0 as? Value }
            } else {
                try decodeIfPresent(Value.self, forKey: key)
            }
        if let value { return .value(value) }
        return contains(key) ? .null : .unknown
    }
}

extension KeyedEncodingContainer {
    /// Encodes a value unless it is unknown.
    ///
    /// - Parameters:
    ///   - known: The value.
    ///   - key: The key of the value.
    /// - Throws: An error if the value can't be encoded.
    @inlinable
    public mutating func encode<Value: Encodable>(
        _ known: Known<Value>,
        forKey key: Key
    ) throws {
        switch known {
        case .unknown: break
        case .null: try encodeNil(forKey: key)
        case .value(let value):
            if Value.self == Int.self, let value = value as? Int {
                try encode(value, forKey: key)
            } else if Value.self == String.self, let value = value as? String {
                try encode(value, forKey: key)
            } else if Value.self == Bool.self, let value = value as? Bool {
                try encode(value, forKey: key)
            } else if Value.self == Double.self, let value = value as? Double {
                try encode(value, forKey: key)
            } else {
                try encode(value, forKey: key)
            }
        }
    }
}
