// The storing of values in the open transaction, under the writers' lock.
extension CacheCore {
    /// Combines a value with the stored one according to the traits of their type.
    ///
    /// - Returns: The value to store, or `nil` to keep the stored value, because it's newer.
    @inlinable @inline(never)
    func merge<Value: Identifiable & Sendable>(
        _ value: Value,
        into existing: Value,
        _ traits: ValueTraits<Value>
    ) -> Value? where Value.ID: Sendable {
        let isOutdated = traits.isOutdated != nil && self.isOutdated(value, existing, traits)
        guard let merge = traits.merge else { return isOutdated ? nil : value }
        let merged = writer.runUserCode("merged(with:)", of: Value.self) {
            isOutdated ? merge(value, existing) : merge(existing, value)
        }
        if merged.id != existing.id { checkMerged(merged, from: existing.id) }
        return merged
    }

    /// Traps if a merge has changed the identifier.
    @usableFromInline @inline(never)
    func checkMerged<Value: Identifiable & Sendable>(
        _ merged: Value,
        from id: Value.ID
    ) where Value.ID: Sendable {
        precondition(
            merged.id == id,
            """
            merged(with:) of \(CacheKey(Value.self, id: id)) has returned \(CacheKey(merged)). The \
            result of a merge must have the identifier of the values that are merged.
            """
        )
    }

    @usableFromInline @inline(never)
    func isOutdated<Value: Identifiable & Sendable>(
        _ value: Value,
        _ existing: Value,
        _ traits: ValueTraits<Value>
    ) -> Bool where Value.ID: Sendable {
        guard let isOutdated = traits.isOutdated else { return false }
        return writer.runUserCode("the version", of: Value.self) { isOutdated(value, existing) }
    }

    /// Writes a value as part of the open transaction, unless it equals the stored one.
    ///
    /// - Returns: The value that is now stored.
    @inlinable
    func store<Value: Identifiable & Sendable>(
        _ value: Value,
        merging: Bool,
        in table: Table<Value>,
        _ writer: Writer
    ) -> Value where Value.ID: Sendable {
        let hash = table.hash(of: value.id)
        return store(value, hash: hash, at: nil, merging: merging, in: table, writer)
    }

    @inlinable @inline(never)
    func store<Value: Identifiable & Sendable>(
        _ value: Value,
        hash: UInt32,
        at known: EntryID?,
        merging: Bool,
        in table: Table<Value>,
        _ writer: Writer
    ) -> Value where Value.ID: Sendable {
        if table.isGuarded { prepareToWrite(to: value.id, in: table) }
        guard let entry = known ?? table.entryID(id: value.id, hash: hash) else {
            insert(value, hash: hash, in: table, writer)
            return value
        }
        if table.collectsIncoming(writer) {
            table.recordIncoming(value, isMerged: merging, at: entry, in: writer)
        }
        guard let existing = table[entry].pointee.value else {
            table.write(value, to: entry, in: writer)
            return value
        }
        guard
            let result = merging && table.traits.combinesValues
                ? merge(value, into: existing, table.traits) : value
        else {
            return existing
        }
        // If values expire or become stale, storing an equal one makes it fresh. The commit does
        // that.
        if !table.isTimed, table.staleness.isEmpty, writer.areEqual(existing, result, table.traits)
        {
            if writer.hasLeases {
                // The commit records the write for the loads that run, and then discards it.
                table.write(existing, to: entry, in: writer)
            } else if table.limits != nil {
                table.recordStoredAgain(existing, in: table[entry], writer)
            }
            // The merged value may have no other reference, so it is released after the lock.
            if merging, table.traits.merge != nil { table.releaseLater(result, in: writer) }
            return existing
        }
        table.write(result, to: entry, in: writer)
        return result
    }

    @inlinable
    func insert<Value: Identifiable & Sendable>(
        _ value: Value,
        hash: UInt32,
        in table: Table<Value>,
        _ writer: Writer
    ) where Value.ID: Sendable {
        if table.collectsIncoming(writer) {
            table.recordIncoming(value, isMerged: true, at: nil, in: writer)
        }
        let entry = table.insert(value, id: value.id, hash: hash, in: writer)
        if table.isGuarded { table.recordConfirmedWrite(to: entry) }
        if writer.mustUpdateNodes { updateNodes(forInserted: entry, in: table) }
    }
}
