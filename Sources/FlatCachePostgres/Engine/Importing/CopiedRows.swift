#if canImport(CPostgres)
extension Rows {
    /// The rows of a query of identifiers, versions, forms and values.
    var storedRows: [StoredRow] {
        (0..<count).map { row in
            StoredRow(
                id: text(row, 0),
                version: integer(row, 1),
                form: Int(integer(row, 2)),
                value: bytes(row, 3) ?? UnsafeRawBufferPointer(start: nil, count: 0)
            )
        }
    }
}

/// Rows in the binary format of `COPY`: for each field, its size and bytes.
struct CopiedRows {
    private var bytes: [UInt8] = []
    private var hasHeader = false

    var size: Int { bytes.count }

    /// Adds the bytes of a message.
    mutating func append(_ message: UnsafeRawBufferPointer) { bytes += message }

    /// Calls a closure with the rows, which are valid until it returns.
    func withRows<Result>(_ body: ([StoredRow]) -> Result) -> Result {
        bytes.withUnsafeBytes { bytes in
            var rows: [StoredRow] = []
            var position = 0
            // The header of the format begins with a letter, and a row with the number of fields.
            if bytes.count >= 19, bytes[0] == UInt8(ascii: "P") {
                position = 19 + number(bytes, 15, Int32.self)
            }
            while position + 2 <= bytes.count {
                let fieldCount = number(bytes, position, Int16.self)
                position += 2
                // The trailer counts -1 fields.
                guard fieldCount == 4 else { break }
                var fields: [UnsafeRawBufferPointer] = []
                for _ in 0..<4 {
                    let size = number(bytes, position, Int32.self)
                    position += 4
                    fields.append(
                        UnsafeRawBufferPointer(rebasing: bytes[position..<position + size])
                    )
                    position += size
                }
                rows.append(
                    StoredRow(
                        id: String(decoding: fields[0], as: UTF8.self),
                        version: Int64(number(fields[1], 0, Int64.self)),
                        form: number(fields[2], 0, Int32.self),
                        // A byte with the version of the format precedes the text.
                        value: UnsafeRawBufferPointer(rebasing: fields[3].dropFirst())
                    )
                )
            }
            return body(rows)
        }
    }

    private func number<Number: FixedWidthInteger>(
        _ bytes: UnsafeRawBufferPointer,
        _ position: Int,
        _ type: Number.Type
    ) -> Int {
        Int(Number(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self)))
    }
}
#endif
