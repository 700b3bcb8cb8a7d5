/// The prior versions that a transaction has displaced in a table, in the order of the writes.
///
/// The log takes the place of one object for each prior version. A commit without open snapshots
/// no longer needs any of them, and releases the log as a whole. Guarded by the writers' lock.
@usableFromInline
struct PriorVersionLog<Value> {
    @usableFromInline typealias Pointer = PriorVersion<Value>.Pointer

    /// The place of the next prior version, and the end of its chunk; `nil` if the log is empty.
    @usableFromInline var next: Pointer?
    @usableFromInline var end: Pointer?
    @usableFromInline var memory: PriorVersionMemory?
    /// Deinitializes adjacent prior versions; compiled for the type.
    @usableFromInline let deinitialize: PriorVersionMemory.Deinitializer

    init(deinitialize: @escaping PriorVersionMemory.Deinitializer) {
        self.deinitialize = deinitialize
    }

    @inlinable var isEmpty: Bool { next == nil }

    /// Adds a prior version; returns its address, which is valid until the log is closed.
    @inlinable @inline(__always)
    mutating func append(_ prior: consuming PriorVersion<Value>) -> Pointer {
        if next == end { addChunk() }
        let place = next.unsafelyUnwrapped
        place.initialize(to: prior)
        next = place + 1
        return place
    }

    // Compiled in the client's module, because the types' metadata would be looked up here.
    @usableFromInline
    mutating func addChunk() {
        if isEmpty, memory?.isFree != true {
            typealias Layout = MemoryLayout<PriorVersion<Value>>
            memory = PriorVersionMemory(
                stride: Layout.stride,
                alignment: Layout.alignment,
                deinitialize
            )
        }
        guard let chunk = memory?.addChunk(isFirst: isEmpty) else { return }
        let start = chunk.start.bindMemory(to: PriorVersion<Value>.self, capacity: chunk.capacity)
        next = start
        end = start + chunk.capacity
    }

    /// Empties the log; returns its memory, to be released after the locks, unless it was empty.
    @inline(__always)
    mutating func close() -> PriorVersionMemory? {
        guard let next else { return nil }
        memory?.close(at: next)
        self.next = nil
        end = nil
        return memory
    }
}
