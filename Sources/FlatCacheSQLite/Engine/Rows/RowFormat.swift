#if canImport(SQLite3) || canImport(CSQLite)
/// The first byte of an encoded value.
///
/// A byte below 128 is an integer itself. A byte from `shortString` on is a string; its length in
/// bytes is added to `shortString`. Other tags are followed by the value: numbers in little-endian
/// order; strings, bytes and containers by their size, then by their contents. A size below 255 is
/// one byte. A greater size is the byte 255 and four more.
///
/// A keyed container consists of pairs of a key and a value. A key is a size and a string. An
/// unkeyed container consists of values.
enum RowTag {
    static let null: UInt8 = 0x80
    static let no: UInt8 = 0x81
    static let yes: UInt8 = 0x82
    static let int8: UInt8 = 0x83
    static let int16: UInt8 = 0x84
    static let int32: UInt8 = 0x85
    static let int64: UInt8 = 0x86
    static let uint64: UInt8 = 0x87
    static let float: UInt8 = 0x88
    static let double: UInt8 = 0x89
    static let string: UInt8 = 0x8A
    static let bytes: UInt8 = 0x8B
    static let unkeyed: UInt8 = 0x8C
    static let keyed: UInt8 = 0x8D
    static let shortString: UInt8 = 0xC0

    /// The maximum length of a string whose length is part of the tag.
    static let maximumShortStringLength = Int(UInt8.max - shortString)
    /// The first byte of a size of four more bytes.
    static let longSize: UInt8 = 0xFF
    /// The maximum size of a row, so that sizes in it take four bytes.
    static let maximumSize = Int(UInt32.max)
    static let maximumDepth = 256
}

/// The key of an element of an unkeyed container, or of the encoding of a superclass.
enum RowKey: CodingKey {
    case index(Int)
    case superclass

    init?(stringValue: String) { return nil }

    init?(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .index(let index): "Index \(index)"
        case .superclass: "super"
        }
    }

    var intValue: Int? {
        switch self {
        case .index(let index): index
        case .superclass: nil
        }
    }
}
#endif
