// The use of a table's entities, under the writers' lock.
extension Table {
    /// Returns whether an entry must not be evicted, because it is watched, pinned, or not written
    /// yet by the participant that writes its changes.
    @inlinable
    func isInUse(_ entryID: EntryID) -> Bool { node(of: entryID) != .none || isPinned(entryID) }

    @inlinable
    func isPinned(_ entryID: EntryID, byTokensOnly: Bool = false) -> Bool {
        if let journal, journal.holds(entryID) { return true }
        if pins.isEmpty, namePins.isEmpty { return false }
        let id = self[entryID].pointee.id
        return pins[id] != nil || !byTokensOnly && namePins[id] != nil
    }

    func pin(_ id: Value.ID) { pins[id] = (pins[id] ?? 0) + 1 }

    func unpin(_ id: Value.ID) {
        guard let count = pins[id] else { return }
        pins[id] = count == 1 ? nil : count - 1
        if count == 1 { recordUnused(id) }
    }

    /// Returns the entities that the open transaction has pinned and unpinned, if the table stores
    /// lists or aliases.
    private func pinChanges() -> [(key: CacheKey, difference: Int)] {
        guard let pinnedKeys = traits.pinnedKeys else { return [] }
        resolvePending()
        return pending.flatMap { entryID in
            let entry = self[entryID]
            let old = entry.pointee.prior?.pointee.value.map(pinnedKeys) ?? []
            let new = entry.pointee.value.map(pinnedKeys) ?? []
            return old.subtracting(new).map { ($0, -1) } + new.subtracting(old).map { ($0, 1) }
        }
    }

    func recordWritten(in writer: Writer) -> [(key: CacheKey, difference: Int)] {
        recordWrittenEntries(in: writer)
        return writer.countsPins ? pinChanges() : []
    }

    func allPinned() -> [CacheKey] {
        guard let pinnedKeys = traits.pinnedKeys else { return [] }
        var keys: [CacheKey] = []
        forEachWrittenValue { keys.append(contentsOf: pinnedKeys($1)) }
        return keys
    }

    func adjustPins(of key: CacheKey, by difference: Int) {
        guard let id: Value.ID = key.identifier.typed() else { return }
        let count = (namePins[id] ?? 0) + difference
        namePins[id] = count == 0 ? nil : count
        if count == 0 { recordUnused(id) }
    }

    /// Updates the limits for an entity that is no longer in use.
    private func recordUnused(_ id: Value.ID) {
        guard isTimed, let entryID = self.entryID(id: id, hash: hash(of: id)) else { return }
        recordUnused(entryID)
    }

    func recordUnused(_ entryID: EntryID) {
        guard let limits else { return }
        guard let record = record(of: entryID, limits) else { return }
        let isStale = isMarkedStale(self[entryID], limits)
        if limits.state.recordUnused(entryID, record, isStale: isStale, at: limits.timeline.now) {
            limits.wakeTime.offer(.min)
        }
    }
}
