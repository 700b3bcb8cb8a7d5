/// Some of the changes that a commit has made to the values of a table.
///
/// Valid until the commit is published, under the writers' lock.
@usableFromInline
struct TableChanges<Value: Identifiable & Sendable> where Value.ID: Sendable {
    @usableFromInline let table: Table<Value>
    /// The entries of the written and the stale entities.
    @usableFromInline let entries: ArraySlice<EntryID>
    @usableFromInline let version: UInt64
    @usableFromInline let writer: Writer

    init(
        _ table: Table<Value>,
        _ entries: ArraySlice<EntryID>,
        at version: UInt64,
        _ writer: Writer
    ) {
        self.table = table
        self.entries = entries
        self.version = version
        self.writer = writer
    }

    /// Calls a closure with the index, the identifier, and the old and the new value of each
    /// entity, unless only its freshness has changed.
    ///
    /// Code that clients compile for the type of the value can read the values without an array
    /// of them, whose elements the runtime would release one by one.
    @inlinable @inline(__always)
    func forEachValue(
        _ body: (_ index: Int, _ id: Value.ID, _ old: Value?, _ new: Value?) -> Void
    ) {
        let isTimed = table.isTimed
        var start = entries.startIndex
        while start < entries.endIndex {
            let end = min(start + UInt32.bitWidth, entries.endIndex)
            // The entries are in random places. Their versions are read first, so that the
            // processor overlaps the memory accesses.
            var changed: UInt32 = 0
            for index in start..<end where isValueChanged(entries[index], isTimed) {
                changed |= 1 &<< UInt32(index - start)
            }
            while changed != 0 {
                let index = start + changed.trailingZeroBitCount
                let entry = table[entries[index]]
                body(
                    index,
                    entry.pointee.id,
                    entry.pointee.prior?.pointee.value,
                    entry.pointee.value
                )
                changed &= changed &- 1
            }
            start = end
        }
    }

    subscript(index: Int) -> TableChanges {
        TableChanges(table, entries[index...index], at: version, writer)
    }

    /// Returns whether the value of an entity has changed, and not only its freshness.
    @inlinable @inline(__always)
    func isValueChanged(_ entry: EntryID, _ isTimed: Bool) -> Bool {
        table[entry].pointee.version == version
            && !(isTimed && table.isOnlyRenewed(entry, in: writer))
    }
}

// The changes that a commit reports for its entries, under the writers' lock.
extension Table {
    func appendWatchedNodes(to nodes: inout [WatchNodeID]) {
        resolvePending()
        for entry in pending {
            let node = node(of: entry)
            if node != .none { nodes.append(node) }
        }
        for entry in staleness.entries {
            let node = node(of: entry)
            if node != .none { nodes.append(node) }
        }
    }

    func change(of entry: EntryID, causes: Set<CacheKey>, version: UInt64) -> AnyEvent {
        steps.change(self, entry, causes, version)
    }

    func changes(version: UInt64) -> AnyEvent? {
        let changes = entityChanges(version: version)
        // The table was written to, but all of its entries are unchanged.
        return changes.isEmpty ? nil : EventBox(TypeChanges(changes, version: version))
    }

    /// Returns the changes that the open transaction has made to the table.
    ///
    /// Before writes without effect have been discarded, these are included.
    func entityChanges(version: UInt64) -> [EntityChange<Value>] {
        changedEntries(version).map { entityChange(of: $0, causes: nil, version: version) }
    }

    /// Calls a closure with the changes that the open transaction has made to the table, a few
    /// hundred at a time, so that their values are still in the processor's cache for the next
    /// reader.
    func forEachPart(
        ofChangesAt version: UInt64,
        in writer: Writer,
        _ body: (TableChanges<Value>) -> Void
    ) {
        var entries = changedEntries(version)[...]
        while !entries.isEmpty {
            body(TableChanges(self, entries.prefix(256), at: version, writer))
            entries = entries.dropFirst(256)
        }
    }

    /// Calls a closure with the value of each written entity as of a version, and with the present
    /// one.
    func forEachWrittenEntity(
        since version: UInt64,
        _ body: (_ old: Value?, _ new: Value?) -> Void
    ) {
        resolvePending()
        for entryID in pending {
            let entry = self[entryID]
            let id = entry.pointee.id
            body(value(id: id, hash: hash(of: id), at: version), entry.pointee.value)
        }
    }

    func allowsExchange(of stored: Value, for new: Value) -> Bool {
        var isAllowed = true
        // Each hook is called, since it may record the new value.
        exchangeHooks.forEach { hook in
            let hook = unsafeDowncast(hook, to: ExchangeHook<Value>.self)
            if !hook.allowsExchange(stored, new) { isAllowed = false }
        }
        return isAllowed
    }

    func changedKeys(version: UInt64) -> [CacheKey] { changedEntries(version).map(key(of:)) }

    func keysOfChangedValues(in writer: Writer) -> [CacheKey] {
        resolvePending()
        return pending.filter { !isOnlyRenewed($0, in: writer) }.map(key(of:))
    }

    /// Returns whether the open transaction has only stored a value again that equals the previous
    /// one.
    ///
    /// That makes a stale entity fresh.
    @usableFromInline
    func isOnlyRenewed(_ entryID: EntryID, in writer: Writer) -> Bool {
        let entry = self[entryID]
        guard isTimed, entry.pointee.version == writer.writeVersion,
            let old = entry.pointee.prior?.pointee.value, let new = entry.pointee.value
        else { return false }
        return writer.areEqual(old, new, traits)
    }

    func changedEntries(_ version: UInt64) -> [EntryID] {
        resolvePending()
        if staleness.isEmpty { return pending }
        return pending + staleness.entries.filter { self[$0].pointee.version != version }
    }

    @inlinable
    func entityChange(
        of entryID: EntryID,
        causes: Set<CacheKey>?,
        version: UInt64
    ) -> EntityChange<Value> {
        let entry = self[entryID]
        let isWritten = entry.pointee.version == version
        let new = entry.pointee.value
        let old = isWritten ? entry.pointee.prior?.pointee.value : new
        let kind: EntityChange<Value>.Kind
        switch (isWritten, old != nil, new != nil) {
        case (false, _, _):
            kind = staleness.contains(entryID) ? .becameStale : .related
        case (true, false, _): kind = .inserted
        case (true, true, true): kind = .updated
        case (true, true, false): kind = .removed(removalReasons[entryID] ?? .explicit)
        }
        return EntityChange(
            id: entry.pointee.id,
            kind: kind,
            old: old,
            new: new,
            causes: causes,
            version: version
        )
    }
}
