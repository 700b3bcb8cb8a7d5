extension CacheSnapshot {
    /// Calls a closure with the value and the freshness of each entity that has a value, in the
    /// order of the identifiers.
    ///
    /// The calls don't count as uses of the values, and run under no lock.
    @usableFromInline
    package func forEachStored<Value: Identifiable & Sendable>(
        _ ids: ChunkedArray<Value.ID>,
        _ body: (Value, StoredFreshness) -> Void
    ) where Value.ID: Sendable {
        checkUsable()
        guard let table = core.tables.existingTable(of: Value.self) else { return }
        let unknown = StoredFreshness()
        var end = 0
        while end < ids.count {
            let range = end..<min(end + Table<Value>.idsReadAtATime, ids.count)
            end = range.upperBound
            // The table keeps the entries of an open snapshot.
            guard table.loadEntries(of: ids, in: range) else { continue }
            for index in range {
                let id = ids[index]
                var times: StoredRecord?
                let hash = table.hash(of: id)
                guard let value = table.stored(id, hash: hash, at: version, &times) else {
                    continue
                }
                body(value, times.map { freshness($0, in: table) } ?? unknown)
            }
        }
    }

    @usableFromInline
    func freshness<Value: Identifiable & Sendable>(
        _ stored: StoredRecord,
        in table: Table<Value>
    ) -> StoredFreshness where Value.ID: Sendable {
        let (record, now) = (stored.record, time ?? .start)
        let invalidation = table.invalidations.withLock {
            $0.staleTime(stored: stored.version, readAt: version)
        }
        let time = record.staleTime(stored: stored.version, readAt: version, at: now)
        let staleTime = [invalidation, time].compactMap { $0 }.min()
        return StoredFreshness(
            age: record.stored == .min ? nil : .nanoseconds(now.nanoseconds(since: record.stored)),
            staleFor: staleTime.map { .nanoseconds(now.nanoseconds(since: $0)) }
        )
    }
}
