import Foundation

/// A reader for property lists in Apple's binary format.
///
/// Foundation's reader ends the process at some damaged files on Linux, such as a file with a set
/// of dictionaries. It also doesn't expose the references in a keyed archive.
struct BinaryPropertyList {
    private let bytes: [UInt8]
    private let offsets: [Int]
    private let referenceSize: Int
    private let top: Int
    /// `true` if the reader accepts references of keyed archives, and reads each as a dictionary,
    /// as in XML.
    private let readsReferences: Bool
    /// The objects that have been read, by index, each with the number of values inside.
    private var known: [Int: (value: PropertyListValue, size: Int, depth: Int)] = [:]

    /// The entries of the dictionary at the top, even with canonically equivalent keys.
    private var topEntries: [ExactString: PropertyListValue] = [:]

    static let signature = Array("bplist00".utf8)
    private static let trailerSize = 32

    /// Reads a property list.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - readsReferences: `true` if references of keyed archives are read, as dictionaries.
    /// - Returns: The value of the property list.
    /// - Throws: A ``PropertyListError`` if the bytes aren't a property list.
    /// - Complexity: O(*n*), where *n* is the number of bytes.
    static func read(_ data: Data, readsReferences: Bool = false) throws -> PropertyListValue {
        var reader = try BinaryPropertyList(Array(data), readsReferences: readsReferences)
        return try reader.object(reader.top, depth: 0).value
    }

    /// Reads the entries of a property list that is a dictionary.
    ///
    /// - Returns: The entries, with the value of each key even if others are canonically
    ///   equivalent.
    /// - Throws: A ``PropertyListError`` if the bytes aren't a property list of a dictionary.
    static func readEntries(_ data: Data) throws -> [ExactString: PropertyListValue] {
        var reader = try BinaryPropertyList(Array(data), readsReferences: false)
        let top = try reader.object(reader.top, depth: 0).value
        guard case .dictionary = top else { throw top.mismatch(expected: "a dictionary") }
        return reader.topEntries
    }

    private init(_ bytes: [UInt8], readsReferences: Bool) throws {
        let trailer = bytes.count - Self.trailerSize
        guard trailer >= Self.signature.count, bytes.starts(with: Self.signature) else {
            throw Self.damaged("it is cut off")
        }
        let offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.number(bytes, at: trailer + 8, size: 8),
            let top = Self.number(bytes, at: trailer + 16, size: 8),
            let table = Self.number(bytes, at: trailer + 24, size: 8),
            table >= Self.signature.count, table <= trailer, top < count,
            count <= (trailer - table) / offsetSize
        else {
            throw Self.damaged("its trailer is damaged")
        }
        offsets = try (0..<count).map { index in
            let offset = Self.number(bytes, at: table + index * offsetSize, size: offsetSize)
            guard let offset, offset >= Self.signature.count, offset < table else {
                throw Self.damaged("its offset table is damaged")
            }
            return offset
        }
        // Without the offset table and the trailer, no object can extend into them.
        self.bytes = Array(bytes[..<table])
        self.top = top
        self.readsReferences = readsReferences
    }

    private static func damaged(_ why: String) -> PropertyListError {
        PropertyListError(.notUnderstood(why))
    }

    /// Returns a big-endian number, or `nil` if it is out of bounds or not representable as an
    /// `Int`.
    private static func number(_ bytes: [UInt8], at start: Int, size: Int) -> Int? {
        guard let bits = bits(bytes, at: start, size: size) else { return nil }
        return Int(exactly: bits)
    }

    private static func bits(_ bytes: [UInt8], at start: Int, size: Int) -> UInt64? {
        guard start >= 0, size <= 8, start <= bytes.count - size else { return nil }
        return bytes[start..<start + size].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func object(
        _ index: Int,
        depth: Int
    ) throws -> (value: PropertyListValue, size: Int) {
        guard depth <= PropertyListValue.maximumDepth else { throw PropertyListError(.tooDeep) }
        guard offsets.indices.contains(index) else {
            throw Self.damaged("there is no object \(index)")
        }
        if let known = known[index], depth <= known.depth { return (known.value, known.size) }
        let result = try readObject(at: offsets[index], depth: depth)
        // A file that was written from a tree has no more values than bytes. If containers share
        // elements, the file read as a tree could fill all memory.
        guard result.size <= bytes.count else {
            throw Self.damaged("its containers share elements")
        }
        known[index] = (result.value, result.size, depth)
        return result
    }

    private mutating func readObject(
        at offset: Int,
        depth: Int
    ) throws -> (value: PropertyListValue, size: Int) {
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0 where low == 0x8: return (.bool(false), 1)
        case 0x0 where low == 0x9: return (.bool(true), 1)
        case 0x1: return (try integer(at: offset + 1, size: 1 << low), 1)
        case 0x2: return (.double(try real(at: offset + 1, size: 1 << low)), 1)
        case 0x3 where low == 0x3:
            let interval = try real(at: offset + 1, size: 8)
            return (.date(Date(timeIntervalSinceReferenceDate: interval)), 1)
        case 0x4: return (.data(Data(try content(at: offset, unit: 1))), 1)
        case 0x5: return (.string(try string(try content(at: offset, unit: 1))), 1)
        case 0x6: return (.string(try wideString(try content(at: offset, unit: 2))), 1)
        case 0x8 where readsReferences:
            let reference = try integer(at: offset + 1, size: low + 1)
            return (.dictionary([PropertyListValue.referenceKey: reference]), 1)
        case 0xA:
            return try array(
                try references(in: try content(at: offset, unit: referenceSize)),
                depth
            )
        case 0xD:
            let references = try references(in: try content(at: offset, unit: 2 * referenceSize))
            return try dictionary(references, depth)
        default:
            throw PropertyListError(
                .unsupported("an object with the marker 0x\(String(marker, radix: 16))")
            )
        }
    }

    private func integer(at start: Int, size: Int) throws -> PropertyListValue {
        // Only integers of eight and sixteen bytes are signed. Sixteen bytes hold positive numbers
        // that are too large for `Int64`.
        let high = size == 16 ? Self.bits(bytes, at: start, size: 8) : 0
        let low = Self.bits(bytes, at: size == 16 ? start + 8 : start, size: min(size, 8))
        guard let high, let low, size <= 8 || size == 16 else {
            throw Self.damaged("a number is damaged")
        }
        if size < 8 || (size == 16 && high == 0) {
            return Int64(exactly: low).map { .integer($0) } ?? .unsignedInteger(low)
        }
        let value = Int64(bitPattern: low)
        guard size == 8 || (high == .max && value < 0) else {
            throw Self.damaged("a number is too large")
        }
        return .integer(value)
    }

    private func real(at start: Int, size: Int) throws -> Double {
        guard size == 4 || size == 8, let bits = Self.bits(bytes, at: start, size: size) else {
            throw Self.damaged("a number is damaged")
        }
        return size == 8
            ? Double(bitPattern: bits)
            : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    }

    /// Returns the content of an object that starts with its number of units.
    ///
    /// - Parameters:
    ///   - offset: The offset of the object.
    ///   - unit: The number of bytes per unit.
    private func content(at offset: Int, unit: Int) throws -> ArraySlice<UInt8> {
        var count = Int(bytes[offset] & 0x0F)
        var start = offset + 1
        if count == 0x0F {
            guard start < bytes.count, bytes[start] >> 4 == 0x1, bytes[start] & 0x0F <= 3,
                let given = Self.number(bytes, at: start + 1, size: 1 << Int(bytes[start] & 0x0F))
            else {
                throw Self.damaged("a length is damaged")
            }
            start += 1 + 1 << Int(bytes[start] & 0x0F)
            count = given
        }
        guard start <= bytes.count, count <= (bytes.count - start) / unit else {
            throw Self.damaged("an object is cut off")
        }
        return bytes[start..<start + count * unit]
    }

    private func string(_ content: ArraySlice<UInt8>) throws -> String {
        guard content.allSatisfy({ $0 < 0x80 }) else { throw Self.damaged("a string isn't text") }
        return String(decoding: content, as: UTF8.self)
    }

    private func wideString(_ content: ArraySlice<UInt8>) throws -> String {
        let units = stride(from: content.startIndex, to: content.endIndex, by: 2).map {
            UInt16(content[$0]) << 8 | UInt16(content[$0 + 1])
        }
        guard let string = String(validating: units, as: UTF16.self) else {
            throw Self.damaged("a string isn't text")
        }
        return string
    }

    private func references(in content: ArraySlice<UInt8>) throws -> [Int] {
        try stride(from: content.startIndex, to: content.endIndex, by: referenceSize).map {
            guard let reference = Self.number(bytes, at: $0, size: referenceSize) else {
                throw Self.damaged("a reference is damaged")
            }
            return reference
        }
    }

    private mutating func array(
        _ references: [Int],
        _ depth: Int
    ) throws -> (value: PropertyListValue, size: Int) {
        var size = 1
        var values: [PropertyListValue] = []
        for (index, reference) in references.enumerated() {
            let element = try PropertyListError.within(.index(index)) {
                try object(reference, depth: depth + 1)
            }
            // Both are at most the number of bytes plus one, so the sum doesn't overflow.
            size = min(size + element.size, bytes.count + 1)
            values.append(element.value)
        }
        return (.array(values), size)
    }

    private mutating func dictionary(
        _ references: [Int],
        _ depth: Int
    ) throws -> (value: PropertyListValue, size: Int) {
        let count = references.count / 2
        var size = 1
        var values: [String: PropertyListValue] = [:]
        for index in 0..<count {
            guard case .string(let key) = try object(references[index], depth: depth + 1).value
            else {
                throw PropertyListError(.unsupported("a key that isn't a string"))
            }
            let element = try PropertyListError.within(.key(key)) {
                try object(references[count + index], depth: depth + 1)
            }
            size = min(size + element.size, bytes.count + 1)
            // Other readers may return the other value of a duplicate key. To them, keys that are
            // only canonically equal are two different keys.
            if let known = values.index(forKey: key),
                values[known].key.utf8.elementsEqual(key.utf8)
            {
                throw Self.damaged("a dictionary holds a key twice")
            }
            values[key] = element.value
            if depth == 0 { topEntries[ExactString(key)] = element.value }
        }
        return (.dictionary(values), size)
    }
}
