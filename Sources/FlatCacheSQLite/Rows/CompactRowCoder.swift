#if canImport(SQLite3) || canImport(CSQLite)
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
/// nested more than 256 levels deep, or take more than 4 GB, can't be encoded.
public struct CompactRowCoder: RowCoder {
    /// Creates the coder.
    public init() {}

    /// Appends the encoding of a value to bytes.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - bytes: The bytes to append to.
    /// - Throws: An `EncodingError`, or an error of the value's `encode(to:)`.
    public func encode(_ value: some Encodable, into bytes: inout [UInt8]) throws {
        let writer = RowWriter.take()
        defer { writer.giveBack() }
        try writer.writeRow(value)
        bytes.append(contentsOf: writer.bytes.buffer)
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
#endif
