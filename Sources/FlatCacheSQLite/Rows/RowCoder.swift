#if canImport(SQLite3) || canImport(CSQLite)
/// An encoding of the values in a durable graph.
///
/// The default is ``CompactRowCoder``. With a ``JSONRowCoder``, the `sqlite3` command shows the
/// values as text. Use the same coder each time you open a file: the graph can't decode the rows of
/// another coder, and moves them to the quarantine.
public protocol RowCoder: Sendable {
    /// Appends the encoding of a value to bytes.
    ///
    /// ## Concurrency
    /// A graph calls this method on its own thread, under no lock.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - bytes: The bytes to append to.
    /// - Throws: An error if the value can't be encoded.
    func encode(_ value: some Encodable, into bytes: inout [UInt8]) throws

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
#endif
