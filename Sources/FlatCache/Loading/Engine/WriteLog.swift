/// The positions of the writes to a table's entities, recorded while there is any lease.
///
/// A plain value without locks or callbacks.
@usableFromInline
struct WriteLog<ID: Hashable & Sendable> {
    struct Write {
        let position: UInt64
        let kind: WriteKind
    }

    private var writes = ChunkedDictionary<ID, Write>()
    private var all: Write?
    /// The positions of the latest removals.
    ///
    /// Later writes to the entities don't replace them.
    private var removals = ChunkedDictionary<ID, UInt64>()
    private(set) var removalOfAll: UInt64 = 0
    /// The greatest recorded position.
    private var latestPosition: UInt64 = 0
    /// The places in `writes` and `removals` at which the search for positions that concern no
    /// present lease continues.
    private var cursors = (writes: 0, removals: 0)
    /// The number of records until the search continues.
    private var recordsUntilSearch = WriteLog.recordsPerSearch

    private static var recordsPerSearch: Int { 256 }
    /// The number of positions that one search examines: four for each record, so that the log
    /// contains less than twice the positions that concern a lease.
    private static var examinedPerSearch: Int { 1_024 }
    /// The number of positions at which the log forgets the single writes.
    private let maximumCount: Int

    init(maximumCount: Int = 200_000) { self.maximumCount = maximumCount }

    var isEmpty: Bool { writes.isEmpty && removals.isEmpty && all == nil }
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
        removalOfAll >= lease || removals[id] ?? 0 >= lease
    }

    /// Records a write.
    ///
    /// - Parameter oldest: The number of the oldest present lease. It's computed when positions are
    ///   dropped, a few at a time.
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
        latestPosition = max(latestPosition, position)
        recordsUntilSearch -= 1
        if recordsUntilSearch == 0 { dropOutdated(before: oldest()) }
        // A load that doesn't end must not fill the memory. If the log is full, it forgets the
        // single writes, and the answer of such a load is outdated as a whole.
        if writes.count + removals.count >= maximumCount {
            let latest = max(latestPosition, all?.position ?? 0)
            recordAll(.removal, at: latest)
            all = Write(position: latest, kind: .store)
        }
    }

    /// Examines some positions, and drops those before the oldest present lease.
    private mutating func dropOutdated(before oldest: UInt64) {
        recordsUntilSearch = Self.recordsPerSearch
        writes.removeSome(of: Self.examinedPerSearch, from: &cursors.writes) {
            $0.position < oldest
        }
        removals.removeSome(of: Self.examinedPerSearch, from: &cursors.removals) { $0 < oldest }
    }

    /// Records a write to all entities, whether or not they have values.
    mutating func recordAll(_ kind: WriteKind, at position: UInt64) {
        all = Write(position: position, kind: kind)
        // No earlier write has a greater position.
        writes = ChunkedDictionary()
        if kind == .removal {
            removals = ChunkedDictionary()
            removalOfAll = position
        }
    }
}

/// The effect of a write on an entity whose load is running.
@usableFromInline
enum WriteKind: Sendable {
    case store
    case removal
    case invalidation
}
