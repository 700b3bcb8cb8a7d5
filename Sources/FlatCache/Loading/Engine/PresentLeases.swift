/// The leases of the running loads.
///
/// A load holds a lease from before its request until its answer is stored. While there is a lease,
/// tables record the positions of the writes to their entities. The position of a write is the
/// number of the latest lease that had begun by then. A write concerns a lease if its position
/// isn't less than the lease's number. For example, a write after lease 2 and before lease 3 has
/// position 2: the answers of the leases 1 and 2 must not undo it, while the request of lease 3 was
/// sent later. This is the lease of Nishtala et al., "Scaling Memcache at Facebook" (NSDI 2013),
/// for all entities of an answer.
///
/// A plain value that the writers' lock guards.
@usableFromInline
struct PresentLeases {
    private var numbers: Set<UInt64> = []
    private(set) var lastNumber: UInt64 = 0
    /// The lease under which the open transaction stores the answer of a load.
    var storing: UInt64?
    /// The keys of the entities whose owners the open transaction doesn't store, because the owners
    /// were removed.
    var ownedByRefused: [CacheKey] = []
    /// The entities that the further writes of an answer have stored with a stamp.
    ///
    /// The stamp decides whether they replace the values that others have stored meanwhile.
    var stamped: Set<CacheKey> = []
    private(set) var lastRemovalOfAll: UInt64 = 0

    var isEmpty: Bool { numbers.isEmpty }

    /// The number of the oldest lease.
    ///
    /// - Complexity: O(*n*) in the number of leases.
    var oldest: UInt64 { numbers.min() ?? .max }

    /// The position of the open transaction's writes.
    ///
    /// The answer of a load is as old as its lease, so it concerns neither later leases nor the
    /// lease itself.
    var position: UInt64 { storing.map { Lease(number: $0).position } ?? lastNumber }

    func contains(_ number: UInt64) -> Bool { numbers.contains(number) }

    mutating func begin() -> UInt64 {
        lastNumber += 1
        numbers.insert(lastNumber)
        return lastNumber
    }

    mutating func end(_ number: UInt64) {
        numbers.remove(number)
        if numbers.isEmpty { lastRemovalOfAll = 0 }
    }

    mutating func recordRemovalOfAll() { lastRemovalOfAll = lastNumber }
}

// The log of writes for the present leases, under the writers' lock.
extension Table {
    /// Records the writes of the open transaction; returns the keys of removed entities.
    ///
    /// Evictions, expiries and pruning don't concern loads.
    func recordWritesForLeases(in writer: Writer) -> [CacheKey] {
        var removed: [CacheKey] = []
        recordIncomingForLeases(in: writer)
        resolvePending()
        for entry in pending {
            if isWrittenByLayersAlone(entry) { continue }
            if hasValue(entry) {
                recordForLeases(.store, of: self[entry].pointee.id, in: writer)
            } else if removalReasons[entry] == nil {
                recordForLeases(.removal, of: self[entry].pointee.id, in: writer)
                removed.append(key(of: entry))
            }
        }
        return removed
    }

    /// Records an in-place write, or an attempt with an equal value.
    @usableFromInline
    func recordExchangeForLeases(
        _ entry: Segment<Value>.Pointer,
        over former: Value,
        in writer: Writer
    ) {
        recordReplacementForLeases(entry, over: former, in: writer)
        recordForLeases(.store, of: entry.pointee.id, in: writer)
    }

    func recordForLeases(_ kind: WriteKind, of id: Value.ID, in writer: Writer) {
        if kind != .store { forgetValues(of: id, in: writer) }
        writeLog.record(kind, of: id, at: writer.leases.position) { writer.leases.oldest }
    }

    func isInserted(_ entry: EntryID, after version: UInt64) -> Bool {
        self[entry].pointee.version > version && self[entry].pointee.value(at: version) == nil
    }

    func isRecordedAsWritten(_ entry: EntryID, since lease: Lease) -> Bool {
        writeLog.write(to: self[entry].pointee.id, since: lease.number) != nil
    }

    func forgetWrites(in writer: Writer) {
        if !writeLog.isEmpty { writeLog = WriteLog() }
        forgetAllValues(in: writer)
    }
}
