/// The memory for a table's marks, with the same capacity as its `EntryBlock`.
@usableFromInline
final class EvictionMarkBlock: @unchecked Sendable {
    // The lock of each stripe guards its marks.

    @usableFromInline let capacity: Int
    @usableFromInline let memory: UnsafeMutableRawPointer
    @usableFromInline let bytesPerStripe: Int

    init(capacity: Int) {
        self.capacity = capacity
        // Each stripe gets cache lines of its own, since each has a lock of its own.
        let lines =
            EvictionMarks.byteCount(capacity: capacity) / ProcessorCacheLine.size + 1
        bytesPerStripe = lines * ProcessorCacheLine.size
        memory = .allocate(
            byteCount: Stripes.count * bytesPerStripe,
            alignment: ProcessorCacheLine.size
        )
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Stripes.count * bytesPerStripe)
        for index in 0..<Stripes.count {
            marks(ofStripe: index).setTick(0)
        }
    }

    deinit { memory.deallocate() }

    @inlinable
    func marks(ofStripe index: Int) -> EvictionMarks {
        EvictionMarks(base: memory + index * bytesPerStripe, capacity: capacity)
    }

    /// Returns the stripe of a slot of the block, and the slot's index in the stripe.
    @inlinable
    func place(of slot: UInt32) -> (stripe: Int, slot: Int) {
        let (stripe, slot) = Int(slot).quotientAndRemainder(dividingBy: capacity)
        return (stripe, slot)
    }
}
