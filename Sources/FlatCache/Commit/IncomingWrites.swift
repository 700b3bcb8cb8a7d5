/// The writes of the open transaction to a table, with their values before merging.
///
/// A table collects them for types that are merged, while loads run or the requirement of a loader
/// says which values are whole. A plain value without locks or callbacks.
@usableFromInline
struct IncomingWrites<Value: Identifiable & Sendable> where Value.ID: Sendable {
    struct Write {
        let id: Value.ID
        /// The value that was stored before the write.
        let former: Value?
        /// The incoming value, or `nil` if the kind has none.
        var value: Value?
        var kind: IncomingKind
        /// The version of the savepoint.
        var version: UInt64
        /// The position among the leases, or `nil` for the transaction's position.
        var position: UInt64?
    }

    private(set) var writes: [Write] = []
    /// The identifiers of entities whose times of whole values the end of the commit forgets.
    var renewed: [Value.ID] = []

    var isEmpty: Bool { writes.isEmpty && renewed.isEmpty }

    mutating func append(_ write: Write) { writes.append(write) }

    /// Changes the latest write, if it's one to an entity.
    mutating func changeLast(to id: Value.ID, _ change: (inout Write) -> Void) {
        guard let last = writes.last, last.id == id else { return }
        change(&writes[writes.count - 1])
    }

    // MARK: Savepoints

    /// Removes the writes of a savepoint to some entities; returns them, to be released after the
    /// locks.
    mutating func removeWrites(to ids: Set<Value.ID>, of version: UInt64) -> [Write] {
        let start = writes.lastIndex { $0.version < version }.map { $0 + 1 } ?? 0
        let removed = writes[start...].filter { ids.contains($0.id) }
        let kept = writes[start...].filter { !ids.contains($0.id) }
        writes.replaceSubrange(start..., with: kept)
        return removed
    }

    /// Merges a savepoint into the one around it.
    mutating func merge(_ version: UInt64) {
        for index in writes.indices.reversed() {
            if writes[index].version < version { break }
            writes[index].version = version - 1
        }
    }

    /// Removes the writes of a savepoint; returns them, to be released after the locks.
    mutating func rollBack(_ version: UInt64) -> ArraySlice<Write> {
        let start = writes.lastIndex { $0.version < version }.map { $0 + 1 } ?? 0
        defer { writes.removeSubrange(start...) }
        return writes[start...]
    }
}

/// The way in which a write changes the value of an entity.
enum IncomingKind: Equatable {
    /// The value is merged over the stored one.
    case over
    /// The value is merged beneath the stored one.
    case beneath
    /// The value replaces the stored one, as the result of an update does.
    case replacing
    case removal
    case invalidation
    /// A participant restored the value.
    ///
    /// The time belongs to the latest whole value. It's `nil` if the restored value is that value.
    case restoring(wholeAsOf: Time?)
}

// Everything here is called under the writers' lock.
extension Table {
    /// Returns whether the table collects the incoming values of a transaction.
    @inlinable @inline(__always)
    func collectsIncoming(_ writer: Writer) -> Bool {
        traits.merge != nil && (tracksWholeValues || writer.hasLeases)
    }

    /// Adds a write that is about to change the value of an entry.
    ///
    /// - Parameter entry: The entry, or `nil` if the entity has none yet.
    @usableFromInline @inline(never)
    func recordIncoming(_ value: Value, isMerged: Bool, at entry: EntryID?, in writer: Writer) {
        // The visible value of an entity that layers cover isn't a write to the confirmed one.
        if layers?.isPutting == true { return }
        let former = entry.flatMap { self[$0].pointee.value }
        recordIncoming(isMerged ? .over : .replacing, value, of: value.id, former, in: writer)
    }

    @usableFromInline @inline(never)
    func recordIncomingRemoval(of entry: EntryID, in writer: Writer) {
        recordIncoming(.removal, nil, of: self[entry].pointee.id, nil, in: writer)
    }

    func recordIncoming(
        _ kind: IncomingKind,
        _ value: Value? = nil,
        of id: Value.ID,
        _ former: Value? = nil,
        in writer: Writer
    ) {
        guard isTimed || writer.hasLeases else { return }
        incoming.append(
            IncomingWrites.Write(
                id: id,
                former: former,
                value: value,
                kind: kind,
                version: writer.writeVersion
            )
        )
        if !isRecordedAsWritten { recordWrite(in: writer) }
    }

    /// Undoes the writes of the innermost savepoint to entities whose former values were stored
    /// again.
    ///
    /// Their latest whole values are the former ones, too.
    func undoIncoming(of ids: Set<Value.ID>, in writer: Writer) {
        guard !ids.isEmpty, collectsIncoming(writer) else { return }
        writer.releaseLater(Released(incoming.removeWrites(to: ids, of: writer.writeVersion)))
        for id in ids { recordIncoming(.beneath, of: id, in: writer) }
    }

    /// Ends the collection of a transaction that was published or rolled back.
    @usableFromInline @inline(never)
    func endIncoming(in writer: Writer) {
        for write in incoming.writes {
            let isRemoved = write.kind == .removal && !hasValue(of: write.id)
            if isRemoved { incoming.renewed.append(write.id) }
            // A restored value is beneath the recorded ones.
            if isRemoved || writer.isRestoring { forgetValues(of: write.id, in: writer) }
        }
        if tracksWholeValues {
            // The readers of the former values have needed the times until now.
            wholeValues.withLock { whole in
                for id in incoming.renewed { whole.times.removeValue(forKey: id) }
            }
        }
        writer.releaseLater(Released(incoming))
        incoming = IncomingWrites()
    }

    private func hasValue(of id: Value.ID) -> Bool {
        entryID(id: id, hash: hash(of: id)).map(hasValue) ?? false
    }
}
