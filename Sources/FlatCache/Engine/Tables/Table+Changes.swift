// The changes that a commit reports for its entries, under the writers' lock.
extension Table {
    func appendWatchedNodes(to nodes: inout [WatchNodeID]) {
        for entry in pending {
            let node = node(of: entry)
            if node != .none { nodes.append(node) }
        }
        for entry in retainer?.expiring ?? [] {
            let node = node(of: entry)
            if node != .none { nodes.append(node) }
        }
    }

    func change(of entry: EntryID, causes: Set<CacheKey>, version: UInt64)
        -> AnyEvent
    {
        EventBox<EntityChange<Value>>(change(of: entry, causes: causes, version: version))
    }

    func changes(version: UInt64) -> AnyEvent? {
        // The table was written to, but all of its entries are unchanged.
        if pending.isEmpty, expiringCount == 0 { return nil }
        let entries = pending + (retainer?.expiring ?? [])
        let changes = entries.map { change(of: $0, causes: nil, version: version) }
        return EventBox(TypeChanges(changes, version: version))
    }

    private func change(
        of name: EntryID,
        causes: Set<CacheKey>?,
        version: UInt64
    ) -> EntityChange<Value> {
        let entry = self[name]
        let isWritten = entry.pointee.version == version
        let new = entry.pointee.value
        let old = isWritten ? entry.pointee.prior?.value : new
        let kind: EntityChange<Value>.Kind
        switch (isWritten, old != nil, new != nil) {
        case (false, _, _):
            kind = retainer?.expiring.contains(name) ?? false ? .expired : .related
        case (true, false, _): kind = .inserted
        case (true, true, true): kind = .updated
        case (true, true, false): kind = .removed(removalReasons[name] ?? .explicit)
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
