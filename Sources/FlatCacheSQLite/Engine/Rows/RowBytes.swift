#if canImport(SQLite3) || canImport(CSQLite)
import Foundation

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
