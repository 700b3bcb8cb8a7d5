#if canImport(SQLite3) || canImport(CSQLite)
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
