extension CacheCore {
    @inlinable
    func set<Value: Identifiable & Sendable>(_ value: Value) -> Value where Value.ID: Sendable {
        storeAlone(value, merging: true, "set(_:)")
    }

    @inlinable
    func set<Value: Identifiable & Sendable>(
        contentsOf values: some Sequence<Value>
    ) -> [Value] where Value.ID: Sendable {
        // A sequence may run any code, so its elements are copied before the lock is taken.
        setElements(Array(values))
    }

    /// Stores the values of an array, compiled once for a type instead of for each kind of
    /// sequence.
    @inlinable @inline(never)
    func setElements<Value: Identifiable & Sendable>(_ values: [Value]) -> [Value]
    where Value.ID: Sendable {
        // If all entities are new, the given array isn't copied.
        var stored = values
        store(contentsOf: values) { index, value in stored[index] = value }
        return stored
    }

    /// Stores values, and calls a closure with the index and the stored value of each entity that
    /// existed before, under the lock.
    @inlinable
    func store<Value: Identifiable & Sendable>(
        contentsOf values: [Value],
        _ receive: (Int, Value) -> Void
    ) where Value.ID: Sendable {
        let table = tables.table(of: Value.self)
        write("set(contentsOf:)") { writer in
            table.expectedCount = table.entryCount + values.count
            defer { table.expectedCount = 0 }
            // Entries are looked up a few at a time, so that the processor overlaps the memory
            // accesses. It doesn't across the lock operations of a write.
            let lookupsAtATime = Table<Value>.lookupsAtATime
            var found: [(hash: UInt32, entry: EntryID?)] = []
            for start in stride(from: 0, to: values.count, by: lookupsAtATime) {
                let some = start..<min(start + lookupsAtATime, values.count)
                let createdCount = table.segments.createdCount
                for index in some {
                    let id = values[index].id
                    let hash = table.hash(of: id)
                    found.append((hash, table.entryID(id: id, hash: hash)))
                }
                for index in some {
                    if table.isGuarded { prepareToWrite(to: values[index].id, in: table) }
                    let hash = found[index &- start].hash
                    let isCurrent = table.segments.createdCount == createdCount
                    let known = isCurrent ? found[index &- start].entry : nil
                    // Most entities of a response are new. These aren't copied more than once.
                    guard let entry = known ?? table.entryID(id: values[index].id, hash: hash)
                    else {
                        insert(values[index], hash: hash, in: table, writer)
                        continue
                    }
                    receive(
                        index,
                        store(
                            values[index],
                            hash: hash,
                            at: entry,
                            merging: true,
                            in: table,
                            writer
                        )
                    )
                }
                found.removeAll(keepingCapacity: true)
            }
        }
    }

    @inlinable
    func replace<Value: Identifiable & Sendable>(_ value: Value) -> Value where Value.ID: Sendable {
        storeAlone(value, merging: false, "replace(_:)")
    }

    /// Stores the new value of an update, compiled once for a type instead of for each update.
    ///
    /// - Returns: The stored value, and the value that it has replaced in place.
    @inlinable @inline(never)
    func storeUpdated<Value: Identifiable & Sendable>(
        _ value: Value,
        id: Value.ID,
        hash: UInt32,
        in table: Table<Value>,
        _ writer: Writer
    ) -> (stored: Value, prior: Value?) where Value.ID: Sendable {
        // The exchange takes the place of the transaction, so nothing else may be part of it.
        if writer.isAtOutermostSavepoint, writer.hasWrittenNothing,
            let entry = table.entry(id: id, hash: hash),
            let existing = valueToExchange(of: entry, in: table)
        {
            switch exchange(existing, for: value, in: entry, of: table, "update(_:id:_:)") {
            case .unneeded: return (existing, nil)
            case .refused: break
            case .done(let replaced, _): return (value, replaced)
            }
        }
        return (store(value, hash: hash, at: nil, merging: false, in: table, writer), nil)
    }

    @inlinable
    func update<Value: Identifiable & Sendable, Failure: Error>(
        _ type: Value.Type,
        id: Value.ID,
        _ body: (inout Value) throws(Failure) -> Void
    ) throws(Failure) -> Value? where Value.ID: Sendable {
        let table = tables.table(of: type)
        let hash = table.hash(of: id)
        // Declared outside the closure, so that the values are released after the lock, even if the
        // closure throws.
        var changed: Value?
        var prior: Value?
        defer { withExtendedLifetime((changed, prior)) {} }
        return try write("update(_:id:_:)", asSavepoint: true) { writer throws(Failure) in
            if table.isGuarded { prepareToWrite(to: id, in: table) }
            changed = table.entry(id: id, hash: hash)?.pointee.value
            guard var value = changed.take() else { return nil }
            defer { changed = value }
            try body(&value)
            if value.id != id { trapUpdated(value, from: id) }
            let (stored, replaced) = storeUpdated(value, id: id, hash: hash, in: table, writer)
            prior = replaced
            return stored
        }
    }

    @usableFromInline @inline(never)
    func trapUpdated<Value: Identifiable & Sendable>(
        _ value: Value,
        from id: Value.ID
    ) -> Never where Value.ID: Sendable {
        preconditionFailure(
            """
            The closure of update(_:id:_:) has changed \(CacheKey(Value.self, id: id)) into \
            \(CacheKey(value)). A value keeps its identifier: remove the old value and set the new \
            one.
            """
        )
    }

    @usableFromInline
    func remove<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) -> Value? where Value.ID: Sendable {
        let table = tables.table(of: type)
        let hash = table.hash(of: id)
        return write("remove(_:id:)") { writer in
            if table.isGuarded { prepareToWrite(to: id, in: table) }
            if mustRecordWithdrawals { recordWithdrawal(.removal, of: id, in: table) }
            guard let entry = table.entryID(id: id, hash: hash),
                let value = table[entry].pointee.value
            else { return nil }
            table.remove(entry, for: .explicit, in: writer)
            if !writer.orphans.isEmpty { removeOrphans() }
            return value
        }
    }

    @usableFromInline
    func removeAll<Value: Identifiable & Sendable>(
        _ type: Value.Type
    ) -> Int where Value.ID: Sendable {
        removeAll(in: tables.table(of: type))
    }

    @usableFromInline
    func removeAll<Value: Identifiable & Sendable>(
        in table: Table<Value>
    ) -> Int where Value.ID: Sendable {
        let isAlone = !writerLock.isHeldByCurrentThread
        return write("removeAll(_:)") { writer in
            if table.isGuarded { prepareToWriteAll(in: table) }
            if mustRecordWithdrawals { recordWithdrawalOfAll(.removal, in: table) }
            if isAlone, !writer.participants.needRemovals(ofType: table.typeIdentifier),
                let removed = removeAllAtOnce(from: [table])
            {
                return removed
            }
            let removed = table.removeAll(in: writer, for: .explicit) { _ in true }
            if !writer.orphans.isEmpty { removeOrphans() }
            return removed
        }
    }

    @usableFromInline
    func removeAll() -> Int {
        let isAlone = !writerLock.isHeldByCurrentThread
        return write("removeAll()") { writer in
            for table in tables.allTables { table.checkOwner(in: self) }
            if mustRecordWithdrawals { recordRemovalOfAll() }
            if !writer.openLayers.isEmpty { endAllLayers() }
            // Only its deriver writes a derived table, and removes the entities itself.
            let tables = tables.allTables.filter { !$0.isInternal }
            if isAlone, let removed = removeAllAtOnce(from: tables) { return removed }
            var removed = 0
            for table in tables {
                removed += table.removeAll(in: writer, for: .explicit) { _ in true }
            }
            // The owned entities have been removed with all others.
            writer.orphans = []
            return removed
        }
    }

    /// Stores one value, as a separate commit or as part of this thread's open transaction.
    ///
    /// In the most frequent case, a new value for a present entity, the value is exchanged in
    /// place, without the bookkeeping of a transaction.
    @inlinable
    func storeAlone<Value: Identifiable & Sendable>(
        _ value: Value,
        merging: Bool,
        _ operation: StaticString
    ) -> Value where Value.ID: Sendable {
        // The cache keeps the table alive, and the writers' lock keeps its entries, so their
        // references aren't counted.
        let table =
            tables.unmanagedTable(of: Value.self) ?? .passUnretained(tables.table(of: Value.self))
        // Computed before the lock is taken, because these may be user code.
        let id = value.id
        let hash = table._withUnsafeGuaranteedRef { $0.hash(of: id) }
        return table._withUnsafeGuaranteedRef { table in
            let isOpen = !acquireWriterLockUnlessHeld(operation)
            if table.isOwned { trapIfOwned(table) }
            if !merging { recordReplacement(of: id, in: table) }
            // A transaction collects the values of a mergeable type while loads run.
            guard !isOpen, let entry = table.entry(id: id, hash: hash),
                !(merging && writer.hasLeases && table.traits.merge != nil),
                let existing = valueToExchange(of: entry, in: table)
            else {
                return store(value, hash, merging: merging, in: table, joining: isOpen, operation)
            }
            guard
                let new = merging && table.traits.combinesValues
                    ? merge(value, into: existing, table.traits) : value
            else {
                releaseWriterLockWithoutCommit()
                return existing
            }
            switch exchange(existing, for: new, in: entry, of: table, operation) {
            case .unneeded:
                releaseWriterLockWithoutCommit()
                withExtendedLifetime(new) {}
                return existing
            case .refused:
                return store(new, hash, merging: false, in: table, joining: false, operation)
            case .done(let prior, let hasNotifications):
                if hasNotifications {
                    releaseWriterLock()
                } else {
                    releaseWriterLockWithoutCommit()
                }
                // The prior value is released after the lock.
                withExtendedLifetime((existing, prior)) {}
                return new
            }
        }
    }

    /// Stores one value in a transaction, under the writers' lock, and releases the lock unless the
    /// transaction was open before.
    @inlinable @inline(never)
    func store<Value: Identifiable & Sendable>(
        _ value: Value,
        _ hash: UInt32,
        merging: Bool,
        in table: Table<Value>,
        joining isOpen: Bool,
        _ operation: StaticString
    ) -> Value where Value.ID: Sendable {
        if isOpen {
            _ = beginWriting(operation, asSavepoint: false)
        } else {
            writer.beginTransaction(operation)
        }
        let stored = store(value, hash: hash, at: nil, merging: merging, in: table, writer)
        endWriting(isOutermost: !isOpen, asSavepoint: false)
        return stored
    }
}

// The removal of all values as a commit without a transaction.
extension CacheCore {
    /// Removes all values of some tables by replacing their segments, and publishes the removal as
    /// one commit.
    ///
    /// Other writers then don't wait for each removal. The previous segments are released after the
    /// writers' lock.
    ///
    /// - Returns: The number of removed values, or `nil` if an observer, a participant, an owner or
    ///   a snapshot needs each removal.
    func removeAllAtOnce(from tables: [any AnyTable]) -> Int? {
        // A table without visible values may have some that layers hide.
        let tables = tables.filter { $0.count(at: nil) > 0 || $0.layers != nil }
        // A commit that changes nothing isn't published.
        if tables.isEmpty { return 0 }
        guard !tables.contains(where: \.needsSingleRemovals),
            !writer.graph.containsNode(ofTypes: Set(tables.map(\.typeIdentifier)))
        else { return nil }
        let removals = tables.map { $0.prepareToEmpty() }
        var removed: Int?
        for table in tables { table.acquireAllStripes() }
        // A snapshot that is open reads the stored values. One that is opened later doesn't.
        clock.publishUnlessSnapshotIsOpen(writer.writeVersion) { version in
            removed = removals.reduce(0) { $0 + $1(version, writer) }
        }
        for table in tables { table.releaseAllStripes() }
        guard removed != nil else { return nil }
        for table in tables { table.forgetEmptied(in: writer) }
        writer.countCommit()
        for table in tables { table.reclaim(in: writer) }
        return removed
    }
}
