#if canImport(SQLite3) || canImport(CSQLite)
import Foundation

/// A row coder that writes JSON, so that you can read the values in the file.
///
/// The text is larger than the bytes of a ``CompactRowCoder``. Encoding a value takes about
/// eighteen times as long, and decoding it about twice as long.
///
/// Choose the coder before the first launch, since rows of another coder can't be decoded and move
/// to the quarantine.
public struct JSONRowCoder: RowCoder {
    /// Creates the coder.
    public init() {}

    /// Appends the JSON of a value to bytes.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - bytes: The bytes to append to.
    /// - Throws: An error of Foundation's encoder.
    public func encode(_ value: some Encodable, into bytes: inout [UInt8]) throws {
        bytes.append(contentsOf: try JSONEncoder().encode(value))
    }

    /// Returns the value that JSON contains.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - bytes: The JSON.
    /// - Throws: An error of Foundation's decoder.
    public func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: UnsafeRawBufferPointer
    ) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }
}
#endif
