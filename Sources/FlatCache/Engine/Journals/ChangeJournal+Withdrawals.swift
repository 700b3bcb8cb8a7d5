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

    /// Lists an invalidated entity, unless its value, which is listed, is written with its
    /// freshness.
    ///
    /// The invalidation alone doesn't list the value, since the storage may have a later one that
    /// memory doesn't show yet.
    private func recordInvalidated(_ id: Value.ID) {
        let entry = table.entryID(id: id, hash: table.hash(of: id))
        if let entry, table.hasValue(entry), slots.contains(entry) { return }
        sendSignalIfUnchanged()
        changes.invalidated.insert(id)
    }
}
