#if canImport(SQLite3) || canImport(CSQLite)
/// A hash of the names of a container's keys, in their order.
struct KeySequence: Hashable {
    private(set) var hash: UInt64 = 1

    /// Appends a name.
    ///
    /// A name of fewer than eight bytes is one part that includes its length. A longer name is
    /// parts of eight bytes, the last two of which can overlap, followed by its length.
    @inline(__always)
    mutating func append(_ name: UnsafeBufferPointer<UInt8>) {
        let (bytes, count) = (UnsafeRawBufferPointer(name), name.count)
        var last = UInt64(truncatingIfNeeded: count) << 56
        if count >= 8 {
            var position = 0
            while position &+ 8 < count {
                append(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                position &+= 8
            }
            append(bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
            last = UInt64(truncatingIfNeeded: count)
        } else if count >= 4 {
            let end = bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            last |= UInt64(bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
            last |= (UInt64(end) << 24) & 0x00FF_FFFF_0000_0000
        } else if count > 0 {
            last |= UInt64(bytes[0]) << 32 | UInt64(bytes[count >> 1]) << 16
            last |= UInt64(bytes[count &- 1])
        }
        append(last)
    }

    @inline(__always)
    private mutating func append(_ part: UInt64) {
        // The high bits of a product depend on all bits of a factor.
        hash = (hash ^ part) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 32
    }

    /// Changes the hash, since the latest key was removed and may be written again.
    mutating func removeLast() { hash = ~hash }
}

/// The latest sequences of keys that contain no key twice.
///
/// Most rows of a type have the same keys, so the writer compares the names of keys once.
final class UniqueKeySequences {
    @exclusivity(unchecked) private var sequences = Array(repeating: KeySequence(), count: 64)

    @inline(__always)
    func contains(_ sequence: KeySequence) -> Bool { sequences[place(of: sequence)] == sequence }

    func insert(_ sequence: KeySequence) { sequences[place(of: sequence)] = sequence }

    @inline(__always)
    private func place(of sequence: KeySequence) -> Int { Int(sequence.hash >> 58) }
}
#endif
