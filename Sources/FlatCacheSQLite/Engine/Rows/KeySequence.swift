#if canImport(SQLite3) || canImport(CSQLite)
/// A hash of the names of a container's keys, in their order.
struct KeySequence: Hashable {
    private(set) var hash: UInt64 = 1

    @inline(__always)
    mutating func append(_ name: UnsafeBufferPointer<UInt8>) {
        guard let first = name.first, let last = name.last else { return }
        let middle = UInt64(name[name.count / 2]) << 16
        let part = UInt64(first) | UInt64(last) << 8 | middle
        hash = (hash ^ part ^ UInt64(truncatingIfNeeded: name.count) << 24) &* 0x9E37_79B9_7F4A_7C15
    }

    /// Notes that the latest key was removed.
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
