#if canImport(SQLite3) || canImport(CSQLite)
/// The encoding of numbers in the lists of a transaction's record, with seven bits in a byte.
enum CompactNumber {
    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Appends a number with its sign in the lowest bit, so that small numbers take few bytes.
    static func append(signed number: Int64, to bytes: inout [UInt8]) {
        append(UInt64(bitPattern: (number << 1) ^ (number >> 63)), to: &bytes)
    }

    /// Reads the first number, or returns `nil` if the bytes are damaged.
    static func read(_ rest: inout Slice<UnsafeRawBufferPointer>) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }

    static func readSigned(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Int64? {
        read(&rest).map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }
}
#endif
