import Synchronization

/// The value of an entity before a newer commit.
///
/// The prior versions of the open transaction lie in the `PriorVersionLog` of their table. If a
/// snapshot needs one after the commit, the table moves it to separate memory.
///
/// The type isn't copyable, like `Entry`.
@usableFromInline
struct PriorVersion<Value>: ~Copyable {
    @usableFromInline typealias Pointer = UnsafeMutablePointer<PriorVersion>

    @usableFromInline let version: UInt64
    /// `true` if the prior version is in separate memory.
    @usableFromInline var isKept: Bool

    // Guarded like the fields of its entry.

    @usableFromInline var value: Value?
    @usableFromInline var older: Pointer?
    /// The freshness of the value, if the table records it.
    @usableFromInline var freshness = FreshnessRecord()

    @inlinable
    init(value: Value?, version: UInt64, older: Pointer?) {
        self.value = value
        self.version = version
        self.older = older
        isKept = false
    }

    /// Takes the value, and returns it in another prior version with the same place in the chain.
    mutating func takeContent() -> PriorVersion {
        var taken = PriorVersion(value: value.take(), version: version, older: older)
        taken.freshness = freshness
        return taken
    }

    /// Moves a prior version to separate memory.
    static func keep(_ prior: consuming PriorVersion) -> Pointer {
        let kept = Pointer.allocate(capacity: 1)
        kept.initialize(to: prior)
        kept.pointee.isKept = true
        return kept
    }
}

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

/// The memory of a `PriorVersionLog`, in chunks.
///
/// After a transaction, the thread that has released the writers' lock releases the values. The
/// release may run any code. The first chunk then serves a later transaction, so that small commits
/// allocate nothing.
@usableFromInline
final class PriorVersionMemory: @unchecked Sendable {
    // The writers' lock guards all properties until the memory is closed. From then on they belong
    // to the thread that calls `release()`, until `isFree` is set again.

    @usableFromInline
    typealias Deinitializer = @Sendable (UnsafeMutableRawPointer, _ count: Int) -> Void

    private struct Chunk {
        let start: UnsafeMutableRawPointer
        let capacity: Int
        var count: Int
    }

    private let free = Atomic<Bool>(true)
    private let stride: Int
    private let alignment: Int
    private let deinitialize: Deinitializer
    @exclusivity(unchecked) private var chunks: [Chunk] = []
    /// The next element of the writer's list of closed memory.
    @exclusivity(unchecked) var nextReleased: PriorVersionMemory?

    /// `true` if a log can use the memory.
    @usableFromInline var isFree: Bool { free.load(ordering: .acquiring) }

    @usableFromInline
    init(stride: Int, alignment: Int, _ deinitialize: @escaping Deinitializer) {
        self.stride = stride
        self.alignment = alignment
        self.deinitialize = deinitialize
    }

    deinit { for chunk in chunks { chunk.start.deallocate() } }

    private static var firstCapacity: Int { 4 }

    /// Returns uninitialized memory for further prior versions.
    ///
    /// - Parameter isFirst: Whether a log begins to use the memory.
    @usableFromInline
    func addChunk(isFirst: Bool) -> (start: UnsafeMutableRawPointer, capacity: Int) {
        if isFirst { free.store(false, ordering: .relaxed) }
        if !isFirst || chunks.isEmpty {
            let most = max(GrowthStep.chunkSize / stride, 1)
            let last = chunks.last?.capacity ?? Self.firstCapacity / 2
            let capacity = min(2 * last, most)
            let start = UnsafeMutableRawPointer.allocate(
                byteCount: capacity * stride,
                alignment: alignment
            )
            if let last = chunks.indices.last { chunks[last].count = chunks[last].capacity }
            chunks.append(Chunk(start: start, capacity: capacity, count: 0))
        }
        let chunk = chunks[chunks.count - 1]
        return (chunk.start, chunk.capacity)
    }

    /// Records the end of the last chunk's prior versions.
    func close(at end: UnsafeMutableRawPointer) {
        let last = chunks.count - 1
        chunks[last].count = (end - chunks[last].start) / stride
    }

    /// Releases the prior versions, and all chunks except the first.
    ///
    /// Called outside all locks.
    func release() {
        for chunk in chunks { deinitialize(chunk.start, chunk.count) }
        while chunks.count > 1 { chunks.removeLast().start.deallocate() }
        free.store(true, ordering: .releasing)
    }
}
