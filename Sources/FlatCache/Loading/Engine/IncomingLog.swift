/// The values that writes have brought to the entities of a mergeable type, recorded while there is
/// any lease.
///
/// With them, a late answer is merged beneath the values that were set since its request, and over
/// those before it. The log is dropped for an entity that is removed, evicted, restored or
/// invalidated, and for all entities if it's full. An answer whose request is older is then merged
/// beneath the stored value.
///
/// A plain value without locks or callbacks.
struct IncomingLog<Value: Identifiable & Sendable> where Value.ID: Sendable {
    private var entities = ChunkedDictionary<Value.ID, EntityValues<Value>>()
    /// The number of recorded values.
    private var count = 0
    /// The place in `entities` at which the search for outdated ones continues.
    private var cursor = 0
    private var recordsUntilSearch = IncomingLog.recordsPerSearch

    private static var recordsPerSearch: Int { 64 }
    private static var examinedPerSearch: Int { 256 }
    /// The number of values at which the log forgets all of them.
    static var maximumCount: Int { 10_000 }
    /// The number of writes to an entity after which the writes before all leases are merged.
    private static var writesPerMerge: Int { 16 }

    var isEmpty: Bool { entities.isEmpty }

    /// Returns the recorded values of an entity if they include all writes since a lease has begun.
    func values(of id: Value.ID, since lease: UInt64) -> EntityValues<Value>? {
        entities[id].flatMap { $0.firstLease <= lease ? $0 : nil }
    }

    /// Records a value.
    ///
    /// - Parameters:
    ///   - write: The value.
    ///   - id: The identifier of the entity.
    ///   - former: The value that was stored before.
    ///   - previous: The position of the entity's previous write, or `nil` if there's none.
    ///   - oldest: A function that returns the number of the oldest present lease.
    ///   - merge: The merge of two values.
    /// - Returns: The values to release after the locks.
    mutating func record(
        _ write: EntityValues<Value>.Write,
        of id: Value.ID,
        over former: Value?,
        after previous: UInt64?,
        oldest: () -> UInt64,
        _ merge: ValueMerge<Value>
    ) -> [EntityValues<Value>] {
        var dropped: [EntityValues<Value>] = []
        if count >= Self.maximumCount { dropped += removeAll() }
        let known = entities[id]
        var values =
            known ?? EntityValues(base: former, firstLease: previous.map { $0 + 1 } ?? 0)
        values.insert(write, merge)
        if values.writes.count.isMultiple(of: Self.writesPerMerge) {
            values.merge(before: oldest(), merge)
        }
        count += values.writes.count - (known?.writes.count ?? 0)
        entities[id] = values
        // The former state may have the last reference to a value.
        if let known { dropped.append(known) }
        recordsUntilSearch -= 1
        if recordsUntilSearch == 0 { dropOutdated(before: oldest(), &dropped) }
        return dropped
    }

    private mutating func dropOutdated(
        before oldest: UInt64,
        _ dropped: inout [EntityValues<Value>]
    ) {
        recordsUntilSearch = Self.recordsPerSearch
        let former = dropped.count
        entities.removeSome(of: Self.examinedPerSearch, from: &cursor) { values in
            let isOutdated = values.writes.last.map { $0.position < oldest } ?? true
            if isOutdated { dropped.append(values) }
            return isOutdated
        }
        for values in dropped[former...] { count -= values.writes.count }
    }

    /// Forgets the values of an entity; returns them, to be released after the locks.
    mutating func remove(_ id: Value.ID) -> EntityValues<Value>? {
        guard let values = entities.removeValue(forKey: id) else { return nil }
        count -= values.writes.count
        return values
    }

    /// Forgets all values; returns them, to be released after the locks.
    mutating func removeAll() -> [EntityValues<Value>] {
        defer { (entities, count) = (ChunkedDictionary(), 0) }
        return entities.map(\.value)
    }
}

/// The values that writes have brought to an entity, in the order in which they count.
struct EntityValues<Value: Sendable>: Sendable {
    struct Write: Sendable {
        /// The position among the leases; for an answer, the position of its request.
        let position: UInt64
        var value: Value
        let kind: IncomingKind
    }

    /// The value before the first write, or `nil` if there was none.
    private var base: Value?
    /// The number of the first lease since whose beginning all writes are recorded.
    let firstLease: UInt64
    private(set) var writes: [Write] = []

    init(base: Value?, firstLease: UInt64) {
        self.base = base
        self.firstLease = firstLease
    }

    /// Inserts a write behind the earlier ones.
    mutating func insert(_ write: Write, _ merge: ValueMerge<Value>) {
        let index = writes.firstIndex { $0.position > write.position } ?? writes.endIndex
        // An answer fills in the parts that a later value lacks, although that has replaced the
        // values before it.
        for later in index..<writes.count where writes[later].kind == .replacing {
            writes[later].value = merge.beneath(write.value, writes[later].value)
        }
        writes.insert(write, at: index)
    }

    /// Merges the writes before the oldest lease, since no answer comes between them.
    mutating func merge(before oldest: UInt64, _ merge: ValueMerge<Value>) {
        let end = writes.firstIndex { $0.position >= oldest } ?? writes.endIndex
        base = Self.result(of: writes[..<end], over: base, merge)
        writes.removeSubrange(..<end)
    }

    /// Returns the value that results from all writes.
    func result(_ merge: ValueMerge<Value>) -> Value? {
        Self.result(of: writes[...], over: base, merge)
    }

    private static func result(
        of writes: ArraySlice<Write>,
        over base: Value?,
        _ merge: ValueMerge<Value>
    ) -> Value? {
        writes.reduce(base) { former, write in
            guard let former, write.kind != .replacing else { return write.value }
            return write.kind == .beneath
                ? merge.beneath(write.value, former) : merge.over(former, write.value)
        }
    }
}

/// The merge of two values of a type.
struct ValueMerge<Value> {
    /// Merges an incoming value over an existing one, unless its version is older.
    let over: (_ existing: Value, _ incoming: Value) -> Value
    /// Merges an incoming value beneath an existing one.
    let beneath: (_ incoming: Value, _ existing: Value) -> Value
}

// The log of a table, under the writers' lock.
extension Table {
    private func valueMerge(_ writer: Writer) -> ValueMerge<Value>? {
        guard let merge = traits.merge else { return nil }
        let isOutdated = traits.isOutdated
        func run(_ left: Value, _ right: Value) -> Value {
            let merged = writer.runUserCode("merged(with:)", of: Value.self) { merge(left, right) }
            // Nothing else may refer to the result.
            writer.releaseLater(Released(merged))
            return merged
        }
        return ValueMerge(
            over: { existing, incoming in
                let isOlder = writer.runUserCode("the version", of: Value.self) {
                    isOutdated?(incoming, existing) ?? false
                }
                return isOlder ? run(incoming, existing) : run(existing, incoming)
            },
            beneath: { run($0, $1) }
        )
    }

    /// Returns the result of merging an answer beneath the values that were set since its request,
    /// or `nil` if these aren't known.
    func merged(_ answer: Value, _ lease: Lease, in writer: Writer) -> Value? {
        guard let merge = valueMerge(writer),
            var values = incomingLog.values(of: answer.id, since: lease.number)
        else { return nil }
        for write in incoming.writes where write.id == answer.id {
            if let write = logged(write, in: writer) { values.insert(write, merge) }
        }
        let write = EntityValues.Write(position: lease.position, value: answer, kind: .over)
        values.insert(write, merge)
        return values.result(merge)
    }

    /// Records the incoming values of the open transaction, before its writes are.
    func recordIncomingForLeases(in writer: Writer) {
        for write in incoming.writes {
            if write.kind == .removal {
                forgetValues(of: write.id, in: writer)
            } else if let logged = logged(write, in: writer) {
                record(logged, of: write.id, over: write.former, in: writer)
            }
        }
    }

    private func logged(
        _ write: IncomingWrites<Value>.Write,
        in writer: Writer
    ) -> EntityValues<Value>.Write? {
        guard let value = write.value else { return nil }
        let position = write.position ?? writer.leases.position
        return EntityValues.Write(position: position, value: value, kind: write.kind)
    }

    /// Records a value that has replaced another one in place.
    func recordReplacementForLeases(
        _ entry: Segment<Value>.Pointer,
        over former: Value,
        in writer: Writer
    ) {
        guard traits.merge != nil, let value = entry.pointee.value else { return }
        let write = EntityValues.Write(
            position: writer.leases.position,
            value: value,
            kind: .replacing
        )
        record(write, of: entry.pointee.id, over: former, in: writer)
    }

    private func record(
        _ write: EntityValues<Value>.Write,
        of id: Value.ID,
        over former: Value?,
        in writer: Writer
    ) {
        guard let merge = valueMerge(writer) else { return }
        let dropped = incomingLog.record(
            write,
            of: id,
            over: former,
            after: writeLog.write(to: id, since: 0)?.position,
            oldest: { writer.leases.oldest },
            merge
        )
        if !dropped.isEmpty { writer.releaseLater(Released(dropped)) }
    }

    func forgetValues(of id: Value.ID, in writer: Writer) {
        if let dropped = incomingLog.remove(id) { writer.releaseLater(Released(dropped)) }
    }

    func forgetAllValues(in writer: Writer) {
        if !incomingLog.isEmpty { writer.releaseLater(Released(incomingLog.removeAll())) }
    }
}
