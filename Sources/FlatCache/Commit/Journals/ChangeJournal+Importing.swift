extension ChangeJournal {
    // MARK: Under the writers' lock

    /// Returns whether a change to an entity isn't written yet.
    func isPending(_ id: Value.ID, _ entry: EntryID?) -> Bool {
        changes.isRemoved(id) || entry.map(slots.contains) ?? false
    }
}

// The explicit removals and invalidations that a journal lists, under the writers' lock.
extension ChangeJournal {
    package func record(_ withdrawal: Withdrawal) {
        if core.writer.author == participant { return }
        concernsRows = true
        switch withdrawal.scope {
        case .entity(let key):
            guard let id = key.id(as: Value.self) else { return }
            if withdrawal.isRemoval {
                recordRemoved(id)
                recordStoredAgain(id)
            } else {
                recordInvalidated(id)
            }
        case .type(let type) where type == Value.self: recordWithdrawalOfAll(withdrawal)
        case .requests(let prefix) where Value.self == RequestState.self:
            sendSignalIfUnchanged()
            changes.invalidatedPrefixes.append(prefix)
        case .all: recordWithdrawalOfAll(withdrawal)
        case .type, .requests: break
        }
    }

    private func recordWithdrawalOfAll(_ withdrawal: Withdrawal) {
        sendSignalIfUnchanged()
        if withdrawal.isRemoval {
            changes.removesAll = true
            core.writer.releaseLater(Released(changes.removed))
            changes.removed = ChunkedSet()
            for entry in table.occupiedEntries where table.hasValue(entry) { recordStored(entry) }
        } else {
            changes.invalidatesAll = true
        }
    }

    /// Lists a removed entity that has a value again.
    ///
    /// If the value equals the one before the transaction, the commit has discarded the write.
    private func recordStoredAgain(_ id: Value.ID) {
        let entry = table.entryID(id: id, hash: table.hash(of: id))
        if let entry, table.hasValue(entry) { recordStored(entry) }
    }

    /// Lists an invalidated entity, unless its value is listed and is therefore written with its
    /// freshness.
    ///
    /// The invalidation alone doesn't list the value, since the storage may have a later one that
    /// memory doesn't show yet. A listed value that can be merged may still be merged with the
    /// stored one, which the invalidation concerns as well.
    private func recordInvalidated(_ id: Value.ID) {
        let entry = table.entryID(id: id, hash: table.hash(of: id))
        let isListed = entry.map { table.hasValue($0) && slots.contains($0) } ?? false
        if isListed, table.traits.merge == nil { return }
        sendSignalIfUnchanged()
        changes.invalidated.insert(id)
    }
}

extension ChangeJournal {
    /// The number of stamps that are read while other threads wait to write.
    private static var stampsReadAtATime: Int { 1_024 }

    /// Returns the modification stamps of entities that have one, reading some at a time.
    ///
    /// - Parameters:
    ///   - ids: The identifiers of the entities.
    ///   - isCurrent: A closure that returns whether the stamps are still needed.
    package func stamps(
        of ids: ChunkedArray<Value.ID>,
        while isCurrent: () -> Bool = { true }
    ) -> [Value.ID: any Comparable & Sendable] {
        let isEnd = core.writerLock.isHeldByCurrentThread
        var read: [Value.ID: any Comparable & Sendable] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.stampsReadAtATime) {
            let some = ids[start..<min(start + Self.stampsReadAtATime, ids.count)]
            let stamps = core.withWriterLock("stamps(of:while:)") { _ in
                isCurrent() ? some.map { table.stamps?.formerStamp(of: $0) } : []
            }
            // The dictionary may be large, so it grows outside the lock.
            for (id, stamp) in zip(some, stamps) where stamp != nil { read[id] = stamp }
            if !isEnd { core.writerLock.giveWay() }
        }
        return read
    }
}
