#if canImport(SQLite3) || canImport(CSQLite)
import FlatCacheRows
import Foundation

// These methods write values of primitive types, and the names of keys.
extension RowWriter {
    /// Appends a value of a primitive type; returns whether it has one.
    @inline(__always)
    func writePrimitive<Value: Encodable>(_ value: Value) -> Bool {
        // In the specialization for a primitive type, the compiler leaves one branch.
        if Value.self == Int.self {
            write(integer: unsafeBitCast(value, to: Int.self))
        } else if Value.self == String.self {
            write(unsafeBitCast(value, to: String.self))
        } else if Value.self == Double.self {
            write(unsafeBitCast(value, to: Double.self))
        } else if Value.self == Bool.self {
            bytes.append(unsafeBitCast(value, to: Bool.self) ? RowTag.yes : RowTag.no)
        } else if Value.self == Float.self {
            write(unsafeBitCast(value, to: Float.self))
        } else if Value.self == Int64.self {
            write(integer: unsafeBitCast(value, to: Int64.self))
        } else if Value.self == Int32.self {
            write(integer: unsafeBitCast(value, to: Int32.self))
        } else if Value.self == Int16.self {
            write(integer: unsafeBitCast(value, to: Int16.self))
        } else if Value.self == Int8.self {
            write(integer: unsafeBitCast(value, to: Int8.self))
        } else if Value.self == UInt.self {
            write(integer: unsafeBitCast(value, to: UInt.self))
        } else if Value.self == UInt64.self {
            write(integer: unsafeBitCast(value, to: UInt64.self))
        } else if Value.self == UInt32.self {
            write(integer: unsafeBitCast(value, to: UInt32.self))
        } else if Value.self == UInt16.self {
            write(integer: unsafeBitCast(value, to: UInt16.self))
        } else if Value.self == UInt8.self {
            write(integer: unsafeBitCast(value, to: UInt8.self))
        } else {
            return false
        }
        return true
    }

    func writeNil() { bytes.append(RowTag.null) }

    @inline(__always)
    private func write(integer value: some FixedWidthInteger) {
        if let small = Int8(exactly: value) {
            if small < 0 { bytes.append(RowTag.int8) }
            bytes.append(UInt8(bitPattern: small))
        } else if let number = Int16(exactly: value) {
            bytes.append(RowTag.int16, number)
        } else if let number = Int32(exactly: value) {
            bytes.append(RowTag.int32, number)
        } else if let number = Int64(exactly: value) {
            bytes.append(RowTag.int64, number)
        } else {
            bytes.append(RowTag.uint64, UInt64(truncatingIfNeeded: value))
        }
    }

    func write(_ value: Double) {
        bytes.append(RowTag.double, isCanonicalZero(value) ? 0 : value.bitPattern)
    }

    private func write(_ value: Float) {
        bytes.append(RowTag.float, isCanonicalZero(value) ? 0 : value.bitPattern)
    }

    /// Returns whether a number must be encoded as a positive zero, to which a negative one is
    /// equal.
    private func isCanonicalZero(_ value: some FloatingPoint) -> Bool {
        isCanonical && value.isZero
    }

    private func write(_ value: String) {
        write(text: isCanonical ? value.normalized : value)
    }

    private func write(text value: String) {
        value.withBytes { text in
            if text.count <= RowTag.maximumShortStringLength {
                bytes.append(RowTag.shortString + UInt8(text.count))
            } else {
                bytes.append(RowTag.string)
                append(size: text.count)
            }
            bytes.append(contentsOf: UnsafeRawBufferPointer(text))
        }
    }

    func write(bytes value: UnsafeRawBufferPointer) {
        bytes.append(RowTag.bytes)
        append(size: value.count)
        bytes.append(contentsOf: value)
    }

    @inline(__always)
    func write(_ key: some CodingKey) {
        keys.insert(key)
        key.stringValue.withBytes { text in
            append(size: text.count)
            bytes.append(contentsOf: UnsafeRawBufferPointer(text))
        }
    }

    /// Appends a size without a check of its range: `writeRow(_:)` checks it at the end.
    @inline(__always)
    private func append(size: Int) {
        if size < Int(RowTag.longSize) {
            bytes.append(UInt8(size))
        } else {
            bytes.append(RowTag.longSize, UInt32(truncatingIfNeeded: size))
        }
    }
}

extension String {
    /// Calls a closure with the UTF-8 encoding of the string.
    ///
    /// `withUTF8(_:)` takes a variable, so the caller would have to copy and retain the string.
    @inline(__always)
    func withBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        if utf8.withContiguousStorageIfAvailable(body) != nil { return }
        var copy = self
        copy.withUTF8(body)
    }
}

/// Memory that grows as bytes are appended.
///
/// Appending to an array checks that nothing else refers to it, and growing an array copies it. The
/// check takes longer than storing a byte. The structure owns its memory: it's the only one that
/// accesses or frees it, and its first `count` bytes are initialized.
struct RowBytes: ~Copyable {
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 4_096) {
        self.capacity = capacity
        memory = Self.reallocate(nil, capacity)
    }

    deinit { free(memory) }

    /// The bytes, valid until the next change.
    var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    subscript(position: Int) -> UInt8 {
        get { buffer[position] }
        set {
            precondition(position < count, "The position is behind the end of the bytes.")
            memory.storeBytes(of: newValue, toByteOffset: position, as: UInt8.self)
        }
    }

    @inline(__always)
    private mutating func reserve(_ additional: Int) {
        if capacity &- count < additional { grow(by: additional) }
    }

    @inline(never)
    private mutating func grow(by additional: Int) {
        capacity = max(2 * capacity, count + additional)
        memory = Self.reallocate(memory, capacity)
    }

    /// Enlarges memory in a way that lets the system move it without copying it.
    private static func reallocate(
        _ memory: UnsafeMutableRawPointer?,
        _ capacity: Int
    ) -> UnsafeMutableRawPointer {
        guard let memory = realloc(memory, capacity) else {
            preconditionFailure("There is no memory for \(capacity) bytes of rows: flush earlier.")
        }
        return memory
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    @inline(__always)
    mutating func append(_ tag: UInt8, _ number: some FixedWidthInteger) {
        reserve(1 &+ MemoryLayout.size(ofValue: number))
        memory.storeBytes(of: tag, toByteOffset: count, as: UInt8.self)
        memory.storeBytes(of: number.littleEndian, toByteOffset: count &+ 1, as: type(of: number))
        count &+= 1 &+ MemoryLayout.size(ofValue: number)
    }

    @inline(__always)
    mutating func append(contentsOf other: UnsafeRawBufferPointer) {
        guard let start = other.baseAddress else { return }
        reserve(other.count)
        (memory + count).copyMemory(from: start, byteCount: other.count)
        count &+= other.count
    }

    mutating func insert(_ other: UnsafeRawBufferPointer, at position: Int) {
        precondition(position <= count, "The position is behind the end of the bytes.")
        guard let start = other.baseAddress else { return }
        reserve(other.count)
        let gap = memory + position
        (gap + other.count).copyMemory(from: gap, byteCount: count - position)
        gap.copyMemory(from: start, byteCount: other.count)
        count += other.count
    }

    mutating func remove(_ range: Range<Int>) {
        precondition(range.upperBound <= count, "The range is behind the end of the bytes.")
        let rest = memory + range.upperBound
        (memory + range.lowerBound).copyMemory(from: rest, byteCount: count - range.upperBound)
        count -= range.count
    }

    mutating func removeAll(from position: Int) {
        precondition(position <= count, "The position is behind the end of the bytes.")
        count = position
    }
}
#endif
