#if canImport(SQLite3) || canImport(CSQLite)
#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// The places in a damaged file at which keys of text or bytes may begin.
///
/// A row of such a table begins with the types of its columns and its key. The last column is a
/// number, whose type is a byte from 1 to 9, so a key may begin after each byte with such a value.
/// Most of these places aren't keys, or belong to other tables: a query shows whether there are
/// rows.
struct PossibleKeys {
    private let database: Database

    /// The number of bytes to read at once.
    private static let partSize = 1 << 20
    /// The number of bytes of a key that are used.
    ///
    /// They lead to the same row as the whole key, unless other keys begin with the same bytes.
    private static let maximumLength = 256

    init(of database: Database) { self.database = database }

    /// Calls a closure with the bytes from each place on, in the file and in its log.
    ///
    /// The bytes don't stop at the end of the key.
    ///
    /// - Parameters:
    ///   - first: The possible first bytes of the keys.
    ///   - body: The closure.
    func forEach<Failure: Error>(
        from first: ClosedRange<UInt8>,
        _ body: (ArraySlice<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        for file in [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER] {
            var offset: Int64 = 0
            while let bytes = read(file, at: offset) {
                for start in 1...Self.partSize
                where 1...9 ~= bytes[start - 1] && first ~= bytes[start] {
                    try body(bytes[start..<start + Self.maximumLength])
                }
                offset += Int64(Self.partSize)
            }
        }
    }

    /// Returns a part of a file with the beginning of the next part, or `nil` at the end of the
    /// file.
    ///
    /// The method reads a file that SQLite has open. If it opened the file itself, the system would
    /// end SQLite's locks when it closes the file.
    private func read(_ file: Int32, at offset: Int64) -> [UInt8]? {
        var pointer: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(database.handle, "main", file, &pointer)
        var size: Int64 = 0
        guard let pointer, let methods = pointer.pointee.pMethods?.pointee,
            methods.xFileSize(pointer, &size) == SQLITE_OK, offset < size
        else { return nil }
        // Bytes that can't be read, or after the end of the file, are zeros.
        var bytes = [UInt8](repeating: 0, count: Self.partSize + Self.maximumLength)
        _ = methods.xRead(pointer, &bytes, Int32(bytes.count), offset)
        return bytes
    }
}
#endif
