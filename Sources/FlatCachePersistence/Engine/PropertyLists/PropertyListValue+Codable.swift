import Foundation

extension PropertyListValue {
    /// The placeholder for `nil` inside containers, as in Foundation's property lists.
    private static let null = PropertyListValue.string("$null")

    /// Encodes a value with Foundation's encoder, and refuses a value that a decoder couldn't
    /// restore.
    ///
    /// - Throws: ``PropertyListError`` with the path to an element that a property list can't hold,
    ///   or the error of the value's own encoding.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    static func encode<Value: Codable & Sendable>(_ value: Value) throws -> PropertyListValue {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        // The encoder refuses a single number or string, so it encodes an array of the value.
        let array = try BinaryPropertyList.read(try encoder.encode([value]))
        guard case .array(let elements) = array, let encoded = elements.first else {
            throw array.mismatch(expected: "an array")
        }
        // The encoder writes the text `$null` in the same way as `nil`, but JSON tells them apart.
        lazy var hasTextOfNull = try? Data(encoding: value).range(of: Data(#""$null""#.utf8)) != nil
        try encoded.forEachLeaf { leaf in
            if case .date(let date) = leaf { _ = try date.propertyListValue }
            if leaf == null, hasTextOfNull != false {
                throw PropertyListError(.unsupported("the text $null, which stands for nil"))
            }
        }
        return encoded
    }

    /// Calls a closure with each value that isn't a container, and adds the path to its errors.
    private func forEachLeaf(_ body: (PropertyListValue) throws -> Void) throws {
        switch self {
        case .array(let values):
            for (index, value) in values.enumerated() {
                try PropertyListError.within(.index(index)) { try value.forEachLeaf(body) }
            }
        case .dictionary(let values):
            for (key, value) in values {
                try PropertyListError.within(.key(key)) { try value.forEachLeaf(body) }
            }
        default: try body(self)
        }
    }

    /// Decodes a value with Foundation's decoder.
    ///
    /// The decoder converts only a number, and only to a type that represents it exactly.
    ///
    /// - Throws: `DecodingError`, or the error of the type's own decoding.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let decoder = PropertyListDecoder()
        switch self {
        case .array, .dictionary:
            return try decoder.decode(type, from: BinaryPropertyListWriter.write(self))
        default:
            // The decoder refuses a single number or string.
            let array = BinaryPropertyListWriter.write(.array([self]))
            guard let value = try decoder.decode([Value].self, from: array).first else {
                throw mismatch(expected: "\(type)")
            }
            return value
        }
    }
}
