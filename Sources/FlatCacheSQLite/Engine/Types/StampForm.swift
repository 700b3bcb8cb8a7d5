#if canImport(SQLite3) || canImport(CSQLite)
/// The encoding of the modification stamps of a type.
struct StampForm: Sendable {
    /// A closure that returns the encoding of a stamp, or `nil` if the stamp is of another type.
    let encode: @Sendable (any Comparable & Sendable) throws -> [UInt8]?
    /// A closure that returns the stamp that bytes contain.
    let decode: @Sendable (UnsafeRawBufferPointer) throws -> any Comparable & Sendable

    init<Stamp: Comparable & Codable & Sendable>(_ type: Stamp.Type) {
        encode = { stamp in
            guard let stamp = stamp as? Stamp else { return nil }
            var bytes: [UInt8] = []
            try CompactRowCoder().encode(stamp, into: &bytes)
            return bytes
        }
        decode = { try CompactRowCoder().decode(type, from: $0) }
    }
}
#endif
