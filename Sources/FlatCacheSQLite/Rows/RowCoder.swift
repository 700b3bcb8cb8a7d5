#if canImport(SQLite3) || canImport(CSQLite)
import Foundation

/// An encoding of the values in a durable graph.
///
/// The default is ``CompactRowCoder``. With a ``JSONRowCoder``, the `sqlite3` command shows the
/// values as text. Use the same coder each time you open a file: the graph can't decode the rows of
/// another coder, and moves them to the quarantine.
public protocol RowCoder: Sendable {
    /// Returns the encoding of a value.
    ///
    /// ## Concurrency
    /// A graph calls this method on its own thread, under no lock.
    ///
    /// - Parameter value: The value to encode.
    /// - Throws: An error if the value can't be encoded.
    func encode(_ value: some Encodable) throws -> [UInt8]

    /// Returns the value that bytes contain.
    ///
    /// ## Concurrency
    /// A graph calls this method on its own thread, under no lock.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - bytes: The encoding of the value, valid until the method returns. The bytes of a
    ///     damaged file can be arbitrary.
    /// - Throws: An error if the bytes aren't the encoding of such a value.
    func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: UnsafeRawBufferPointer
    ) throws -> Value
}

/// The default row coder of a durable graph.
///
/// The encoding is binary, and contains the names of the properties, as JSON does. You can
/// therefore add an optional property, or remove a property, without a new version of the type.
/// Small integers take one byte. `Data`, `[UInt8]`, `UUID` and `Date` are encoded as their bytes.
///
/// If `encode(to:)` writes a key twice, the last value counts, as in JSON, provided that the keys
/// are cases of an enumeration. Nested containers of one key and one kind are one container.
///
/// Decoding arbitrary bytes returns a value or throws an error, and never traps. Values that are
/// nested more than 256 levels deep, or take more than 4 GB, can't be encoded, and neither can
/// integers of 128 bits: encode their digits.
public struct CompactRowCoder: RowCoder {
    /// Creates the coder.
    public init() {}

    /// Returns the encoding of a value.
    ///
    /// - Parameter value: The value to encode.
    /// - Throws: An `EncodingError`, or an error of the value's `encode(to:)`.
    public func encode(_ value: some Encodable) throws -> [UInt8] {
        let writer = RowWriter.take()
        defer { writer.giveBack() }
        try writer.writeRow(value)
        return Array(writer.bytes.buffer)
    }

    /// Returns the value that bytes contain.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - bytes: The encoding of the value.
    /// - Throws: A `DecodingError` that names the coding path, or an error of the value's
    ///   `init(from:)`.
    public func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: UnsafeRawBufferPointer
    ) throws -> Value {
        let reader = RowReader(bytes)
        defer { reader.end() }
        var position = 0
        let value = try reader.read(type, at: &position, key: nil)
        guard position == bytes.count else {
            throw reader.corrupt("The row has \(bytes.count - position) bytes too many.")
        }
        return value
    }
}

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

    /// Returns the JSON of a value.
    ///
    /// - Parameter value: The value to encode.
    /// - Throws: An error of Foundation's encoder.
    public func encode(_ value: some Encodable) throws -> [UInt8] {
        Array(try JSONEncoder().encode(value))
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
