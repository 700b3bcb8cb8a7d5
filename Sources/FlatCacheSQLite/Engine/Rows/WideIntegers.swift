#if canImport(SQLite3) || canImport(CSQLite)
// The standard library's requirements for integers of 128 bits have default implementations. These
// throw, and they take precedence over generic methods.

/// An integer of 128 bits.
///
/// If it fits in 64 bits, it's encoded like an integer of 64 bits, and otherwise as its digits.
private struct Wide<Number: FixedWidthInteger & Codable>: Codable {
    let number: Number

    init(_ number: Number) { self.number = number }

    init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? RowDecoder else {
            number = try Number(from: decoder)
            return
        }
        number = try decoder.reader.readWide(Number.self, at: decoder.position)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let small = Int64(exactly: number) {
            try container.encode(small)
        } else {
            try container.encode(String(number))
        }
    }
}

extension RowSingleValueEncodingContainer {
    func encode(_ value: Int128) throws { try encode(Wide(value)) }

    func encode(_ value: UInt128) throws { try encode(Wide(value)) }
}

extension RowUnkeyedEncodingContainer {
    func encode(_ value: Int128) throws { try encode(Wide(value)) }

    func encode(_ value: UInt128) throws { try encode(Wide(value)) }
}

extension RowKeyedEncodingContainer {
    func encode(_ value: Int128, forKey key: Key) throws { try encode(Wide(value), forKey: key) }

    func encode(_ value: UInt128, forKey key: Key) throws { try encode(Wide(value), forKey: key) }
}

extension RowSingleValueDecodingContainer {
    func decode(_ type: Int128.Type) throws -> Int128 { try decode(Wide.self).number }

    func decode(_ type: UInt128.Type) throws -> UInt128 { try decode(Wide.self).number }
}

extension RowUnkeyedDecodingContainer {
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try decode(Wide.self).number }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try decode(Wide.self).number }
}

extension RowKeyedDecodingContainer {
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try decode(Wide.self, forKey: key).number
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try decode(Wide.self, forKey: key).number
    }
}

extension RowReader {
    fileprivate func readWide<Number: FixedWidthInteger>(
        _ type: Number.Type,
        at start: Int
    ) throws -> Number {
        var position = start
        guard try isString(at: position) else { return try integer(type, &position, nil) }
        guard let number = Number(try read(String.self, at: &position, key: nil)) else {
            throw DecodingError.dataCorrupted(context("The text isn't a \(type)."))
        }
        return number
    }
}
#endif
