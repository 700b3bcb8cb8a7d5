#if canImport(SQLite3) || canImport(CSQLite)
// The standard library's requirements for integers of 128 bits have default implementations. These
// throw, and they take precedence over generic methods.
//
// An integer that fits in 64 bits is encoded like one, and others are encoded as their digits.

extension RowSingleValueEncodingContainer {
    func encode(_ value: Int128) throws { try encode(wide: value) }

    func encode(_ value: UInt128) throws { try encode(wide: value) }

    private func encode(wide value: some BinaryInteger) throws {
        if let small = Int64(exactly: value) {
            try encode(small)
        } else {
            try encode(String(value))
        }
    }
}

extension RowUnkeyedEncodingContainer {
    func encode(_ value: Int128) throws { try encode(wide: value) }

    func encode(_ value: UInt128) throws { try encode(wide: value) }

    private func encode(wide value: some BinaryInteger) throws {
        if let small = Int64(exactly: value) {
            try encode(small)
        } else {
            try encode(String(value))
        }
    }
}

extension RowKeyedEncodingContainer {
    func encode(_ value: Int128, forKey key: Key) throws { try encode(wide: value, forKey: key) }

    func encode(_ value: UInt128, forKey key: Key) throws { try encode(wide: value, forKey: key) }

    private func encode(wide value: some BinaryInteger, forKey key: Key) throws {
        if let small = Int64(exactly: value) {
            try encode(small, forKey: key)
        } else {
            try encode(String(value), forKey: key)
        }
    }
}

extension RowSingleValueDecodingContainer {
    func decode(_ type: Int128.Type) throws -> Int128 { try decodeWide(type) }

    func decode(_ type: UInt128.Type) throws -> UInt128 { try decodeWide(type) }

    private func decodeWide<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        var position = position
        return try reader.readWide(type, at: &position, key: nil)
    }
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

/// An integer that is decoded by way of a container for a single value.
private struct Wide<Number: FixedWidthInteger & Decodable>: Decodable {
    let number: Number

    init(from decoder: any Decoder) throws { number = try Number(from: decoder) }
}

extension RowReader {
    /// Reads an integer of 128 bits, and moves the position to its end.
    fileprivate func readWide<Number: FixedWidthInteger>(
        _ type: Number.Type,
        at position: inout Int,
        key: (any CodingKey)?
    ) throws -> Number {
        guard try isString(at: position) else { return try integer(type, &position, key) }
        guard let number = Number(try read(String.self, at: &position, key: key)) else {
            throw DecodingError.dataCorrupted(context("The text isn't a \(type).", key: key))
        }
        return number
    }
}
#endif
