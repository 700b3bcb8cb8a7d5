/// The positions of the writes to a table's entities, recorded while there is any lease.
///
/// A plain value without locks or callbacks.
@usableFromInline
struct WriteLog<ID: Hashable & Sendable> {
    /// The latest write to an entity.
    struct Write {
        let position: UInt64
        let kind: WriteKind
    }

    private var writes: [ID: Write] = [:]
    /// The latest write to all entities.
    private var all: Write?
    /// The positions of the latest removals, which later writes to the entities don't replace.
    private var removals: [ID: UInt64] = [:]
    /// The position of the latest removal of all entities.
    private(set) var removalOfAll: UInt64 = 0
    /// The number of entities at which positions are dropped that concern no present lease.
    private var limit = WriteLog.leastLimit

    private static var leastLimit: Int { 1_024 }
    private static var greatestLimit: Int { 200_000 }

    @usableFromInline
    init() {}

    var isEmpty: Bool { writes.isEmpty && all == nil }
    var count: Int { writes.count }

    /// Returns the latest write to an entity since a lease has begun, or `nil` if there's none.
    func write(to id: ID, since lease: UInt64) -> Write? {
        guard let write = writes[id], write.position >= lease else {
            return all.flatMap { $0.position >= lease ? $0 : nil }
        }
        guard let all, all.position > write.position else { return write }
        return all
    }

    /// Returns whether an entity was removed since a lease has begun, even if it has been stored
    /// again.
    func isRemoved(_ id: ID, since lease: UInt64) -> Bool {
        removalOfAll >= lease || removals[id, default: 0] >= lease
    }

    /// Records a write.
    ///
    /// - Parameter oldest: The number of the oldest present lease, which is computed when positions
    ///   are dropped.
    mutating func record(
        _ kind: WriteKind,
        of id: ID,
        at position: UInt64,
        oldest: () -> UInt64
    ) {
        if let known = writes[id] {
            if known.position > position { return }
            if known.position == position, known.kind == .store, kind == .store { return }
        }
        writes[id] = Write(position: position, kind: kind)
        if kind == .removal { removals[id] = position }
        guard writes.count + removals.count >= limit else { return }
        let oldest = oldest()
        writes = writes.filter { $0.value.position >= oldest }
        removals = removals.filter { $0.value >= oldest }
        limit = max(Self.leastLimit, 2 * (writes.count + removals.count))
        // A load that doesn't end must not fill the memory. Its answer is then outdated as a whole.
        if limit > Self.greatestLimit {
            let latest = writes.values.reduce(max(position, all?.position ?? 0)) {
                max($0, $1.position)
            }
            recordAll(.removal, at: latest)
            all = Write(position: latest, kind: .store)
            limit = Self.leastLimit
        }
    }

    /// Records a write to all entities, whether or not they have values.
    mutating func recordAll(_ kind: WriteKind, at position: UInt64) {
        all = Write(position: position, kind: kind)
        // No earlier write has a greater position.
        writes = [:]
        if kind == .removal {
            removals = [:]
            removalOfAll = position
        }
    }
}
