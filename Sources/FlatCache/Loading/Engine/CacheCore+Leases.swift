// A lease begins under the writers' lock, outside of transactions. Each transaction has therefore
// either ended before a lease begins, or begins later, and then its writes concern the lease.
extension CacheCore {
    /// Begins the lease of a load, before its request.
    ///
    /// Waits for other writers.
    private func beginLease() -> Lease {
        withWriterLock("load(…)") { writer in
            writer.hasLeases = true
            return Lease(number: writer.leases.begin())
        }
    }

    /// Begins the lease of a call.
    ///
    /// The lease ends if the call is no longer needed.
    ///
    /// - Parameter abandon: A closure that's called then, too.
    @usableFromInline
    func beginLease<Key, Output>(
        of call: FlightCall<Key, Output>,
        onAbandonment abandon: @escaping @Sendable () -> Void = {}
    ) -> Lease {
        let lease = beginLease()
        call.onAbandonment { [self] in
            endLeaseSoon(lease)
            abandon()
        }
        return lease
    }

    /// Ends a lease without waiting for other writers.
    @usableFromInline
    func endLeaseSoon(_ lease: Lease) {
        deferWork { $0.ended.append { [unowned self] in end(lease, in: $0) } }
    }

    /// Ends a lease, under the writers' lock.
    func end(_ lease: Lease, in writer: Writer) {
        guard writer.leases.contains(lease.number) else { return }
        writer.leases.end(lease.number)
        if writer.leases.isEmpty {
            writer.hasLeases = false
            for table in tables.allTables { table.forgetWrites(in: writer) }
        }
    }

    // MARK: Recording writes, under the writers' lock

    /// Records the writes of the open transaction for the present leases, before writes without
    /// effect are discarded.
    func recordWritesForLeases() {
        for table in writer.writtenTables where !table.isInternal {
            for key in table.recordWritesForLeases(in: writer) { loads.separate(key) }
        }
    }

    /// Returns the kind of the latest write to an entity since a lease has begun, or `nil` if
    /// there's none.
    func writeSince<Value: Identifiable & Sendable>(
        _ lease: Lease,
        to id: Value.ID,
        in table: Table<Value>?
    ) -> WriteKind? where Value.ID: Sendable {
        if let write = table?.writeLog.write(to: id, since: lease.number) { return write.kind }
        // The removal of all entities has cleared the logs.
        return writer.leases.lastRemovalOfAll >= lease.number ? .removal : nil
    }

    /// Returns whether an entity was removed since a lease has begun, even if it has been stored
    /// again.
    func isRemoved<Value: Identifiable & Sendable>(
        _ id: Value.ID,
        from table: Table<Value>,
        since lease: Lease
    ) -> Bool where Value.ID: Sendable {
        writer.leases.lastRemovalOfAll >= lease.number
            || table.writeLog.isRemoved(id, since: lease.number)
    }

    /// Returns whether all entities, or those of a type, were removed since a lease has begun.
    ///
    /// A late answer never undoes such a removal, regardless of its stamp, since the removal may be
    /// the end of a session.
    func wasEmptied<Value: Identifiable & Sendable>(
        of type: Value.Type,
        since lease: Lease
    ) -> Bool where Value.ID: Sendable {
        let removal = tables.existingTable(of: type)?.writeLog.removalOfAll ?? 0
        return max(removal, writer.leases.lastRemovalOfAll) >= lease.number
    }

    // MARK: Storing answers, under the writers' lock

    /// Divides the values of an answer into current and outdated ones, or returns `nil` if none is
    /// outdated.
    ///
    /// A value is outdated if its entity was written since the lease began.
    func outdatedValues<Value: Identifiable & Sendable>(
        of values: [Value],
        _ lease: Lease
    ) -> (current: [Value], outdated: [Value])? where Value.ID: Sendable {
        let table = tables.existingTable(of: Value.self)
        let hasWrites = table.map { !$0.writeLog.isEmpty } ?? false
        guard hasWrites || writer.leases.lastRemovalOfAll >= lease.number else { return nil }
        var current: [Value] = []
        var outdated: [Value] = []
        for value in values {
            if writeSince(lease, to: value.id, in: table) == nil {
                current.append(value)
            } else {
                outdated.append(value)
            }
        }
        return outdated.isEmpty ? nil : (current, outdated)
    }

    /// Merges an outdated value beneath the values that were set since the lease began, if there
    /// are any and the type is mergeable.
    ///
    /// If these values aren't known, for example because the entity was invalidated since, the
    /// value is merged beneath the stored one, and a stale entity remains stale: the answer is as
    /// old as its request. A stored value of an older version is replaced. If the entity was
    /// removed since the lease began and then stored again, nothing is merged: parts of the removed
    /// value would come back.
    ///
    /// - Returns: Whether the method has stored a value.
    @discardableResult
    func storeBeneath<Value: Identifiable & Sendable>(
        _ value: Value,
        _ lease: Lease
    ) -> Bool where Value.ID: Sendable {
        guard let table = tables.existingTable(of: Value.self) else { return false }
        if table.isGuarded { table.uncover(value.id) }
        guard let entry = table.entryID(id: value.id, hash: table.hash(of: value.id)),
            let existing = table[entry].pointee.value
        else {
            refuse(value, lease)
            return false
        }
        if isOutdated(existing, value, table.traits) {
            storeNewer(value, lease) { _ = store(value, merging: true, in: table, writer) }
            return true
        }
        if isRemoved(value.id, from: table, since: lease) { return false }
        if writeSince(lease, to: value.id, in: table) == .store,
            let merged = table.merged(value, lease, in: writer)
        {
            checkMerged(merged, from: value.id)
            store(merged, as: .over, of: value, at: lease.position, in: table)
            return true
        }
        if let merged = merge(value, beneath: existing, table.traits) {
            let wasStale = writtenFreshness(of: value.id, in: table).isStale
            store(merged, as: .beneath, of: value, at: lease.position, in: table)
            if wasStale { makeStale(value.id, in: table) }
            return true
        }
        return false
    }

    /// Stores the result of a merge that isn't the usual one.
    ///
    /// - Parameters:
    ///   - merged: The result.
    ///   - kind: The way in which the incoming value was merged.
    ///   - incoming: The incoming value.
    ///   - position: Its position among the leases, or `nil` for the transaction's position.
    func store<Value: Identifiable & Sendable>(
        _ merged: Value,
        as kind: IncomingKind,
        of incoming: Value,
        at position: UInt64? = nil,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        _ = store(merged, merging: false, in: table, writer)
        table.incoming.changeLast(to: incoming.id) { write in
            write.value = incoming
            write.kind = kind
            write.position = position
        }
    }

    /// Combines a value with a stored one that takes precedence.
    ///
    /// - Returns: The value to store, or `nil` to keep the stored one.
    func merge<Value: Identifiable & Sendable>(
        _ value: Value,
        beneath existing: Value,
        _ traits: ValueTraits<Value>
    ) -> Value? where Value.ID: Sendable {
        guard let merge = traits.merge else { return nil }
        let whole = writer.runUserCode("merged(with:)", of: Value.self) { merge(value, existing) }
        checkMerged(whole, from: value.id)
        return writer.areEqual(existing, whole, traits) ? nil : whole
    }

    /// Stores a value that is newer than the stored one by its stamp or its version.
    ///
    /// An entity that was invalidated since the lease began remains stale: the answer is as old as
    /// its request.
    func storeNewer<Value: Identifiable & Sendable>(
        _ value: Value,
        _ lease: Lease,
        _ store: () -> Void
    ) where Value.ID: Sendable {
        let table = tables.table(of: Value.self)
        let isInvalidated =
            writeSince(lease, to: value.id, in: table) == .invalidation
            && writtenFreshness(of: value.id, in: table).isStale
        store()
        table.incoming.changeLast(to: value.id) { $0.position = writer.leases.lastNumber }
        if isInvalidated { makeStale(value.id, in: table) }
    }

    /// Records the entities that a removed owner owns.
    ///
    /// They mustn't be stored without their owner.
    private func refuse<Value: Identifiable & Sendable>(
        _ value: Value,
        _ lease: Lease
    ) where Value.ID: Sendable {
        guard let table = tables.existingTable(of: Value.self),
            isRemoved(value.id, from: table, since: lease),
            let ownedCacheKeys = table.traits.ownedCacheKeys
        else { return }
        writer.leases.ownedByRefused += writer.runUserCode("ownedCacheKeys", of: Value.self) {
            ownedCacheKeys(value)
        }
    }

    /// Removes the entities that an answer has stored and that belong to removed owners.
    ///
    /// The method keeps entities that another write has stored since the lease began.
    func removeOwnedByRefused(_ lease: Lease) {
        if writer.leases.ownedByRefused.isEmpty { return }
        for key in writer.leases.ownedByRefused {
            guard let table = tables.table(withTypeIdentifier: key.typeIdentifier),
                let entry = table.entry(of: key), table.hasValue(entry),
                table.isInserted(entry, after: writer.committedVersion),
                !table.isRecordedAsWritten(entry, since: lease)
            else { continue }
            writer.orphans.append((key, .explicit))
        }
        writer.leases.ownedByRefused = []
        if !writer.orphans.isEmpty { removeOrphans() }
    }

    @usableFromInline
    func makeStale<Value: Identifiable & Sendable>(
        _ id: Value.ID,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        guard let entry = table.entryID(id: id, hash: table.hash(of: id)) else { return }
        beginToInvalidate(in: table)
        table.makeStale(entry, in: writer)
    }
}

/// The moment at which a call began, as its number among the calls of its cache.
@usableFromInline
struct Lease: Hashable, Sendable {
    let number: UInt64
    /// The position of the answer, as old as its request.
    var position: UInt64 { number - 1 }
}
