import Foundation

/// A writer for property lists in Apple's binary format that writes equal values as equal bytes.
///
/// Foundation writes the keys of a dictionary in the order of their hashes. This order differs
/// between processes. A storage would then treat an unchanged value as a change and write the file
/// again.
struct BinaryPropertyListWriter {
    /// The objects: bytes, and the references that follow them in a container.
    private var objects: [(bytes: [UInt8], references: [Int])] = []
    private var indices: [String: Int] = [:]
    /// `true` if dictionaries that represent references of a keyed archive are written as
    /// references.
    private let writesReferences: Bool

    /// Returns a property list of a value, with sorted keys in each dictionary.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - writesReferences: `true` if dictionaries that ``BinaryPropertyList`` has read from
    ///     references of a keyed archive are written as references.
    /// - Complexity: O(*n* log *n*), where *n* is the size of the value.
    static func write(_ value: PropertyListValue, writesReferences: Bool = false) -> Data {
        var writer = BinaryPropertyListWriter(writesReferences: writesReferences)
        let top = writer.append(value)
        return writer.file(top: top)
    }

    /// Returns a keyed archive with sorted keys, or the same bytes if ``BinaryPropertyList`` can't
    /// read them.
    ///
    /// - Complexity: O(*n* log *n*), where *n* is the number of bytes.
    static func canonicalArchive(_ archive: Data) -> Data {
        guard let value = try? BinaryPropertyList.read(archive, readsReferences: true) else {
            return archive
        }
        return write(value, writesReferences: true)
    }

    private init(writesReferences: Bool) { self.writesReferences = writesReferences }

    // MARK: Objects

    private mutating func append(_ value: PropertyListValue) -> Int {
        switch value {
        case .bool(let flag): return append([flag ? 0x09 : 0x08])
        case .integer(let number): return append(Self.integer(number))
        case .unsignedInteger(let number):
            return append(Int64(exactly: number).map(Self.integer) ?? Self.large(number))
        case .double(let number): return append([0x23] + Self.bytes(of: number.bitPattern, size: 8))
        case .date(let date):
            let bits = date.timeIntervalSinceReferenceDate.bitPattern
            return append([0x33] + Self.bytes(of: bits, size: 8))
        case .data(let data): return append(Self.header(0x40, count: data.count) + data)
        case .string(let text): return append(text)
        case .array(let values):
            let index = append([])
            let references = values.map { append($0) }
            objects[index] = (Self.header(0xA0, count: values.count), references)
            return index
        case .dictionary(let values): return append(values)
        }
    }

    private mutating func append(_ object: [UInt8]) -> Int {
        objects.append((object, []))
        return objects.count - 1
    }

    private mutating func append(_ text: String) -> Int {
        // Canonically equivalent strings are equal, but their bytes may differ.
        if let index = indices[text], objects[index].bytes == Self.string(text) { return index }
        let index = append(Self.string(text))
        indices[text] = index
        return index
    }

    private mutating func append(_ values: [String: PropertyListValue]) -> Int {
        if writesReferences, values.count == 1,
            case .integer(let number)? = values[PropertyListValue.referenceKey],
            let reference = UInt64(exactly: number)
        {
            let size = Self.byteCount(of: reference)
            return append([0x80 | UInt8(size - 1)] + Self.bytes(of: reference, size: size))
        }
        let index = append([])
        let sorted = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let keys = sorted.map { append($0.key) }
        let references = keys + sorted.map { append($0.value) }
        objects[index] = (Self.header(0xD0, count: sorted.count), references)
        return index
    }

    private static func integer(_ number: Int64) -> [UInt8] {
        let size = number < 0 ? 8 : byteCount(of: UInt64(number))
        return [0x10 | UInt8(size.trailingZeroBitCount)]
            + bytes(of: UInt64(bitPattern: number), size: size)
    }

    private static func large(_ number: UInt64) -> [UInt8] {
        [0x14] + bytes(of: 0, size: 8) + bytes(of: number, size: 8)
    }

    private static func string(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return header(0x50, count: text.utf8.count) + text.utf8
        }
        let units = text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        return header(0x60, count: units.count / 2) + units
    }

    private static func header(_ marker: UInt8, count: Int) -> [UInt8] {
        count < 0x0F ? [marker | UInt8(count)] : [marker | 0x0F] + integer(Int64(count))
    }

    /// Returns the number of bytes that a number takes: 1, 2, 4 or 8.
    private static func byteCount(of number: UInt64) -> Int {
        switch number {
        case ...0xFF: 1
        case ...0xFFFF: 2
        case ...0xFFFF_FFFF: 4
        default: 8
        }
    }

    private static func bytes(of number: UInt64, size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }

    // MARK: The file

    private func file(top: Int) -> Data {
        var data = Data(BinaryPropertyList.signature)
        var offsets: [UInt64] = []
        let referenceSize = Self.byteCount(of: UInt64(objects.count))
        for (bytes, references) in objects {
            offsets.append(UInt64(data.count))
            data.append(contentsOf: bytes)
            for reference in references {
                data.append(contentsOf: Self.bytes(of: UInt64(reference), size: referenceSize))
            }
        }
        let table = UInt64(data.count)
        let offsetSize = Self.byteCount(of: table)
        for offset in offsets { data.append(contentsOf: Self.bytes(of: offset, size: offsetSize)) }
        data.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)])
        for number in [UInt64(objects.count), UInt64(top), table] {
            data.append(contentsOf: Self.bytes(of: number, size: 8))
        }
        return data
    }
}
