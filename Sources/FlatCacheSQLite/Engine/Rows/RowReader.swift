#if canImport(SQLite3) || canImport(CSQLite)
import Foundation

/// The bytes of a row that is being decoded.
///
/// Each access checks its bounds, since a damaged file can contain arbitrary bytes.
final class RowReader {
    /// A container whose entries are searched in the order in which they were encoded.
    struct Entries {
        /// The positions of the first entry and of the end.
        let range: Range<Int>
        /// The position of the entry at which the next search begins.
        var next: Int
    }

    // The bytes are valid until `end()` empties the buffer. A decoder that is used after that call
    // finds no data.
    @exclusivity(unchecked) private var bytes: UnsafeRawBufferPointer
    // No method calls another one while it changes these properties.
    @exclusivity(unchecked) private var containers: [Entries] = []
    @exclusivity(unchecked) private var depth = 0
    @exclusivity(unchecked) private(set) var path: [any CodingKey] = []

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    func end() { bytes = UnsafeRawBufferPointer(start: nil, count: 0) }

    func corrupt(_ reason: String) -> DecodingError { .dataCorrupted(context(reason)) }

    func context(_ reason: String, key: (any CodingKey)? = nil) -> DecodingError.Context {
        DecodingError.Context(
            codingPath: key.map { path + [$0] } ?? path,
            debugDescription: reason
        )
    }

    // MARK: Values

    /// Reads a value, and moves the position to its end.
    @inline(__always)
    func read<Value: Decodable>(
        _ type: Value.Type,
        at position: inout Int,
        key: (any CodingKey)?
    ) throws -> Value {
        // In the specialization for a primitive type, the compiler leaves one branch.
        if type == Int.self { return try cast(integer(Int.self, &position, key)) }
        if type == String.self { return try cast(string(&position, key)) }
        if type == Double.self { return try cast(double(&position, key)) }
        if type == Bool.self { return try cast(bool(&position, key)) }
        if type == Float.self { return try cast(float(&position, key)) }
        if type == Int64.self { return try cast(integer(Int64.self, &position, key)) }
        if type == Int32.self { return try cast(integer(Int32.self, &position, key)) }
        if type == Int16.self { return try cast(integer(Int16.self, &position, key)) }
        if type == Int8.self { return try cast(integer(Int8.self, &position, key)) }
        if type == UInt.self { return try cast(integer(UInt.self, &position, key)) }
        if type == UInt64.self { return try cast(integer(UInt64.self, &position, key)) }
        if type == UInt32.self { return try cast(integer(UInt32.self, &position, key)) }
        if type == UInt16.self { return try cast(integer(UInt16.self, &position, key)) }
        if type == UInt8.self { return try cast(integer(UInt8.self, &position, key)) }
        return try readComposite(type, at: &position, key: key)
    }

    /// Returns a value as the type that it's known to have.
    @inline(__always)
    private func cast<Source, Value>(_ value: Source) -> Value {
        unsafeBitCast(value, to: Value.self)
    }

    private func readComposite<Value: Decodable>(
        _ type: Value.Type,
        at position: inout Int,
        key: (any CodingKey)?
    ) throws -> Value {
        if type == Date.self {
            return try cast(Date(timeIntervalSinceReferenceDate: double(&position, key)))
        }
        if type == Data.self, let data = try Data(data(&position, key)) as? Value { return data }
        if type == [UInt8].self { return try cast(Array(data(&position, key))) }
        if type == UUID.self { return try cast(identifier(&position, key)) }
        let start = position
        position = try self.end(ofValueAt: start)
        guard depth < RowTag.maximumDepth else {
            throw corrupt("The value is nested more than \(RowTag.maximumDepth) levels deep.")
        }
        if let key { path.append(key) }
        depth += 1
        let containerCount = containers.count
        defer {
            containers.removeSubrange(containerCount...)
            depth -= 1
            if key != nil { path.removeLast() }
        }
        return try Value(from: RowDecoder(reader: self, position: start))
    }

    /// Moves the position past a null, if there is one; returns whether there was.
    func readNil(at position: inout Int) throws -> Bool {
        guard try byte(position) == RowTag.null else { return false }
        position += 1
        return true
    }

    func integer<Number: FixedWidthInteger>(
        _ type: Number.Type,
        _ position: inout Int,
        _ key: (any CodingKey)?
    ) throws -> Number {
        let start = position
        let tag = try byte(position)
        position += 1
        let number: Number?
        switch tag {
        case 0..<128: number = Number(exactly: tag)
        case RowTag.int8: number = Number(exactly: try load(Int8.self, &position))
        case RowTag.int16: number = Number(exactly: try load(Int16.self, &position))
        case RowTag.int32: number = Number(exactly: try load(Int32.self, &position))
        case RowTag.int64: number = Number(exactly: try load(Int64.self, &position))
        case RowTag.uint64: number = Number(exactly: try load(UInt64.self, &position))
        default: throw mismatch(type, at: start, key)
        }
        guard let number else {
            throw DecodingError.dataCorrupted(context("The number isn't a \(type).", key: key))
        }
        return number
    }

    private func double(_ position: inout Int, _ key: (any CodingKey)?) throws -> Double {
        switch try byte(position) {
        case RowTag.double:
            position += 1
            return Double(bitPattern: try load(UInt64.self, &position))
        case RowTag.float: return Double(try float(&position, key))
        case ...RowTag.uint64: return Double(try integer(Int64.self, &position, key))
        default: throw mismatch(Double.self, at: position, key)
        }
    }

    private func float(_ position: inout Int, _ key: (any CodingKey)?) throws -> Float {
        guard try byte(position) == RowTag.float else { return Float(try double(&position, key)) }
        position += 1
        return Float(bitPattern: try load(UInt32.self, &position))
    }

    private func bool(_ position: inout Int, _ key: (any CodingKey)?) throws -> Bool {
        let tag = try byte(position)
        guard tag == RowTag.yes || tag == RowTag.no else {
            throw mismatch(Bool.self, at: position, key)
        }
        position += 1
        return tag == RowTag.yes
    }

    private func string(_ position: inout Int, _ key: (any CodingKey)?) throws -> String {
        let tag = try byte(position)
        let size: Int
        if tag >= RowTag.shortString {
            position += 1
            size = Int(tag - RowTag.shortString)
        } else if tag == RowTag.string {
            position += 1
            size = try self.size(&position)
        } else {
            throw mismatch(String.self, at: position, key)
        }
        guard let text = String(validating: try slice(&position, size), as: UTF8.self) else {
            throw DecodingError.dataCorrupted(context("The string isn't valid UTF-8.", key: key))
        }
        return text
    }

    private func data(
        _ position: inout Int,
        _ key: (any CodingKey)?
    ) throws -> UnsafeRawBufferPointer {
        guard try byte(position) == RowTag.bytes else {
            throw mismatch([UInt8].self, at: position, key)
        }
        position += 1
        return try slice(&position, try size(&position))
    }

    private func identifier(_ position: inout Int, _ key: (any CodingKey)?) throws -> UUID {
        let bytes = try data(&position, key)
        guard bytes.count == MemoryLayout<uuid_t>.size else {
            throw DecodingError.dataCorrupted(context("A UUID has 16 bytes.", key: key))
        }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    private func mismatch(_ type: any Any.Type, at position: Int, _ key: (any CodingKey)?)
        -> any Error
    {
        do {
            let tag = try byte(position)
            let context = context("The value has the tag \(tag).", key: key)
            return tag == RowTag.null
                ? DecodingError.valueNotFound(type, context)
                : DecodingError.typeMismatch(type, context)
        } catch {
            return error
        }
    }

    // MARK: Bytes

    private func byte(_ position: Int) throws -> UInt8 {
        guard position < bytes.count else { throw corrupt("The row ends too early.") }
        return bytes[position]
    }

    private func load<Number: FixedWidthInteger>(
        _ type: Number.Type,
        _ position: inout Int
    ) throws -> Number {
        let part = try slice(&position, MemoryLayout<Number>.size)
        return Number(littleEndian: part.loadUnaligned(as: Number.self))
    }

    private func slice(_ position: inout Int, _ size: Int) throws -> UnsafeRawBufferPointer {
        guard bytes.count - position >= size else { throw corrupt("The row ends too early.") }
        defer { position += size }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + size)])
    }

    private func size(_ position: inout Int) throws -> Int {
        let first = try byte(position)
        position += 1
        if first < RowTag.longSize { return Int(first) }
        return Int(try load(UInt32.self, &position))
    }

    func end(ofValueAt position: Int) throws -> Int {
        var position = position
        let tag = try byte(position)
        position += 1
        let size: Int
        switch tag {
        case RowTag.shortString...: size = Int(tag - RowTag.shortString)
        case ...RowTag.yes: size = 0
        case RowTag.int8: size = 1
        case RowTag.int16: size = 2
        case RowTag.int32, RowTag.float: size = 4
        case RowTag.int64, RowTag.uint64, RowTag.double: size = 8
        case RowTag.string, RowTag.bytes, RowTag.unkeyed, RowTag.keyed:
            size = try self.size(&position)
        default: throw corrupt("The row contains the unknown tag \(tag).")
        }
        _ = try slice(&position, size)
        return position
    }

    // MARK: Containers

    func contents(_ tag: UInt8, _ type: any Any.Type, at start: Int) throws -> Range<Int> {
        guard try byte(start) == tag else { throw mismatch(type, at: start, nil) }
        var position = start + 1
        let size = try size(&position)
        guard bytes.count - position >= size else { throw corrupt("The row ends too early.") }
        return position..<(position + size)
    }

    /// Begins the search in a keyed container; returns the number of the container.
    func beginContainer(_ range: Range<Int>) -> Int {
        containers.append(Entries(range: range, next: range.lowerBound))
        return containers.count - 1
    }

    /// Returns the position of the value of a key, or `nil` if there is none.
    ///
    /// The search begins with the entry that the previous search has found, so that reading the
    /// keys in the order in which they were encoded takes constant time for each.
    func find(_ key: some CodingKey, in container: Int) throws -> Int? {
        // A container that is used after its value has been decoded is empty.
        guard container < containers.count else { return nil }
        let entries = containers[container]
        var name = key.stringValue
        return try name.withUTF8 { name in
            var position = entries.next
            var isSecondRound = false
            while true {
                if position >= entries.range.upperBound {
                    if isSecondRound || entries.next == entries.range.lowerBound { return nil }
                    isSecondRound = true
                    position = entries.range.lowerBound
                }
                if isSecondRound, position >= entries.next { return nil }
                let start = position
                let candidate = try slice(&position, try size(&position))
                if candidate.count == name.count, candidate.elementsEqual(name) {
                    containers[container].next = start
                    return position
                }
                position = try end(ofValueAt: position)
            }
        }
    }

    func keys(in container: Int) throws -> [String] {
        guard container < containers.count else { return [] }
        return try entries(in: containers[container].range).map { entry in
            String(decoding: bytes[entry.name], as: UTF8.self)
        }
    }

    func entries(in range: Range<Int>) throws -> [(name: Range<Int>, range: Range<Int>)] {
        var entries: [(name: Range<Int>, range: Range<Int>)] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let start = position
            let size = try size(&position)
            let name = position..<(position + size)
            _ = try slice(&position, size)
            position = try end(ofValueAt: position)
            entries.append((name, start..<position))
        }
        return entries
    }
}
#endif
