/// The entries of a segment as memory.
///
/// Code that isn't compiled for the type of the entries reads and moves them much faster this way,
/// since it looks up the size of an entry once.
struct EntryMemory {
    private let start: UnsafeMutableRawPointer
    private let stride: Int

    init<Value>(_ segment: Segment<Value>) {
        start = UnsafeMutableRawPointer(segment.entries)
        stride = MemoryLayout<Entry<Value>>.stride
    }

    /// Returns the header of the entry in a slot, at which each entry begins.
    func header(ofSlot slot: Int) -> EntryHeader {
        (start + slot &* stride).assumingMemoryBound(to: EntryHeader.self).pointee
    }

    /// Copies the bytes of an entry to a slot of another segment.
    func copy<Value>(_ slot: Int, to newSlot: Int, of segment: Segment<Value>) {
        (UnsafeMutableRawPointer(segment.entries) + newSlot &* stride)
            .copyMemory(from: start + slot &* stride, byteCount: stride)
    }
}
