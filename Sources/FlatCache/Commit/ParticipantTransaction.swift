/// The writes of a participant in one transaction.
///
/// It is valid until the closure of `CacheAccess.write(_:_:)` returns. The participant's journals
/// don't list its writes, since its storage contains them already. They list an entity if the
/// stored result differs from the value that the participant has written.
@usableFromInline
package struct ParticipantTransaction {
    @usableFromInline let core: CacheCore
    /// The time of the cache's clock, with which the ages of values are computed.
    @usableFromInline let now: Time

    init(_ core: CacheCore) {
        self.core = core
        now = core.policies.timeline.now
    }

    // MARK: Restoring

    /// Makes room for a number of entities of a type, so that its segments are divided only once.
    @inlinable
    package func prepareToInsert<Value: Identifiable & Sendable>(
        _ count: Int,
        of type: Value.Type
    ) where Value.ID: Sendable {
        core.expect(count, in: core.tables.table(of: type))
    }

    /// Stores a value unless the entity has one.
    ///
    /// A value whose entity was removed since the participant began to read is left out. If the
    /// entity was invalidated, it's stale.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - freshness: The value's freshness. In a type without lifetimes, it's recorded only if
    ///     it's stale.
    ///   - stamp: The value's modification stamp.
    /// - Returns: `true` if the value was stored.
    @inlinable
    @discardableResult
    package func insert<Value: Identifiable & Sendable>(
        _ value: Value,
        _ freshness: StoredFreshness = StoredFreshness(),
        stamp: (any Comparable & Sendable)? = nil
    ) -> Bool where Value.ID: Sendable {
        insert(value, freshness, stamp: stamp, in: core.tables.table(of: Value.self))
    }

    /// Stores the values of rows whose entities have none; returns for each row whether its value
    /// was stored.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - content: A closure that returns the arguments of `insert(_:_:stamp:)` for a row.
    @inlinable
    package func insert<Row, Value: Identifiable & Sendable>(
        contentsOf rows: [Row],
        _ content: (Row) -> (Value, StoredFreshness, stamp: (any Comparable & Sendable)?)
    ) -> [Bool] where Value.ID: Sendable {
        let table = core.tables.table(of: Value.self)
        return rows.map { row in
            let (value, freshness, stamp) = content(row)
            return insert(value, freshness, stamp: stamp, in: table)
        }
    }

    @inlinable
    func insert<Value: Identifiable & Sendable>(
        _ value: Value,
        _ freshness: StoredFreshness,
        stamp: (any Comparable & Sendable)?,
        in table: Table<Value>
    ) -> Bool where Value.ID: Sendable {
        let id = value.id
        let hash = table.hash(of: id)
        if table.isGuarded { table.uncover(id) }
        let entry = table.entryID(id: id, hash: hash)
        if let entry, table[entry].pointee.value != nil { return false }
        var isInvalidated = false
        if let journal = table.journal {
            if journal.isRemoved(id) { return false }
            isInvalidated = journal.isInvalidated(id)
        }
        if table.isGuarded { core.prepareToWrite(to: id, in: table) }
        if let entry {
            table.write(value, to: entry, in: core.writer)
        } else {
            core.insert(value, hash: hash, in: table, core.writer)
        }
        if isInvalidated || !freshness.isEmpty {
            setFreshness(freshness, isInvalidated: isInvalidated, of: id, in: table)
        }
        if table.tracksWholeValues || freshness.wholeAge != nil {
            setWholeAge(freshness.wholeAge, of: id, in: table)
        }
        if let stamp { setStamp(stamp, of: id, in: table) }
        return true
    }

    /// Merges a value beneath the stored one, as a late answer of a load.
    ///
    /// The value fills in the parts that the stored value lacks. The stored value keeps its
    /// freshness. If the value is newer by its version or its stamp, it's merged over the stored
    /// one. If the entity has no value, or was removed since the participant began to read, the
    /// value is left out.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - freshness: The value's freshness. The parts that it fills in are as old as it.
    ///   - stamp: The value's modification stamp.
    ///   - merge: A closure that returns the value to store, from the value and the stored one, or
    ///     `nil` to merge values as the cache does.
    package func mergeBeneath<Value: Identifiable & Sendable>(
        _ value: Value,
        _ freshness: StoredFreshness = StoredFreshness(),
        stamp: (any Comparable & Sendable)? = nil,
        _ merge: ((Value, Value) -> Value?)? = nil
    ) where Value.ID: Sendable {
        guard let table = core.tables.existingTable(of: Value.self) else { return }
        if table.isGuarded { table.uncover(value.id) }
        guard let entry = table.entryID(id: value.id, hash: table.hash(of: value.id)),
            let existing = table[entry].pointee.value,
            !(table.journal?.isOverwritten(value.id) ?? false)
        else { return }
        var result = table.storedFreshness(of: entry, at: now)
        // The invalidation of an entity that memory lacked isn't part of the row's freshness.
        if table.journal?.isInvalidated(value.id) != true { result?.fillIn(freshness) }
        if let stamp, core.storeIfLater(value, stamp, in: table) {
        } else if core.isOutdated(existing, value, table.traits) {
            _ = core.store(value, merging: true, in: table, core.writer)
        } else if let whole = merge.map({ $0(value, existing) })
            ?? core.merge(value, beneath: existing, table.traits)
        {
            core.store(whole, as: .beneath, of: value, in: table)
        } else {
            return
        }
        if let result {
            setFreshness(result, isInvalidated: false, of: value.id, in: table)
            setWholeAge(result.wholeAge, of: value.id, in: table)
        }
        table.journal?.recordStored(entry)
    }

    /// Sets the freshness of the value that the transaction has written last.
    @usableFromInline
    func setFreshness<Value: Identifiable & Sendable>(
        _ freshness: StoredFreshness,
        isInvalidated: Bool,
        of id: Value.ID,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        let stored = freshness.age.map(time) ?? .min
        let staleFrom = freshness.staleFor.map(time) ?? .max
        // An entity that was written before in this transaction keeps its place.
        table.resolvePending()
        guard let last = table.pending.last, table[last].pointee.id == id,
            let value = table[last].pointee.value
        else {
            // The value equals the previous one, so the cache keeps that one.
            if isInvalidated || staleFrom <= now { core.makeStale(id, in: table) }
            return
        }
        let known = stored == .min ? now : stored
        let times = StoredTimes(stored: known, staleFrom: staleFrom)
        table.setRestoredTimes(times, at: table.pending.count - 1)
        let isStale =
            staleFrom <= now || table.isStale(value, storedAt: known, at: now, core.writer)
        if isInvalidated || isStale { core.makeStale(id, in: table) }
    }

    /// Sets the age of the latest whole value of an entity that the transaction has written last.
    @usableFromInline
    func setWholeAge<Value: Identifiable & Sendable>(
        _ age: Duration?,
        of id: Value.ID,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        guard table.traits.merge != nil else { return }
        if age != nil, !table.tracksWholeValues { table.beginToTrackWholeValues() }
        let isLost = age == StoredFreshness.noWholeValue
        if isLost { core.beginToInvalidate(in: table) }
        if !table.tracksWholeValues { return }
        let kind = isLost ? IncomingKind.invalidation : .restoring(wholeAsOf: age.map(time))
        table.recordIncoming(kind, of: id, in: core.writer)
    }

    private func time(_ age: Duration) -> Time { now.advanced(by: -age.nanoseconds) }

    @usableFromInline
    func setStamp<Value: Identifiable & Sendable>(
        _ stamp: any Comparable & Sendable,
        of id: Value.ID,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        core.setStamp(stamp, of: id, in: table)
    }
}

extension CacheCore {
    /// Makes room for entities that the open transaction inserts.
    @usableFromInline
    func expect<Value: Identifiable & Sendable>(
        _ count: Int,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        table.expectedCount = table.entryCount + count
        writer.addEnding { [unowned table] in table.expectedCount = 0 }
    }
}

extension Table {
    /// Returns the freshness of an entry's value as ages, or `nil` if it isn't recorded.
    fileprivate func storedFreshness(of entry: EntryID, at now: Time) -> StoredFreshness? {
        guard let limits, let record = record(of: entry, limits) else { return nil }
        let version = self[entry].pointee.version
        let isMarked = isMarkedStale(self[entry], limits)
        let recorded = record.staleTime(stored: version, readAt: .max, at: now)
        let time = recorded ?? (isMarked ? now : nil)
        var freshness = StoredFreshness(
            age: record.stored == .min ? nil : .nanoseconds(now.nanoseconds(since: record.stored)),
            staleFor: time.map { .nanoseconds(now.nanoseconds(since: $0)) }
        )
        if let value = self[entry].pointee.value {
            let stored = StoredRecord(version: version, record: record)
            freshness.wholeAge = wholeAge(of: value, stored, isChanged: false, at: now)
        }
        return freshness
    }

    /// Returns whether the rules of the type make a value stale that was stored at a time.
    fileprivate func isStale(
        _ value: Value,
        storedAt time: Time,
        at now: Time,
        _ writer: Writer
    ) -> Bool {
        guard let limits else { return false }
        return times(of: value, storedAt: time, limits, writer).stored.staleFrom <= now
    }
}

// The changes that another process has written to the participant's storage.
extension ParticipantTransaction {
    /// Stores a value that another process has written.
    ///
    /// The value replaces the stored one that was in the storage before. If a change to the entity
    /// isn't written yet, that change wins, unless the value's stamp or version is later. The
    /// values of a mergeable type are merged, the winning one over the other one.
    /// Afterwards, the journal lists the entity only if memory differs from the storage.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - freshness: The value's freshness.
    ///   - stamp: The value's modification stamp.
    package func set<Value: Identifiable & Sendable>(
        _ value: Value,
        _ freshness: StoredFreshness = StoredFreshness(),
        stamp: (any Comparable & Sendable)? = nil
    ) where Value.ID: Sendable {
        let table = core.tables.table(of: Value.self)
        let id = value.id
        if table.isGuarded { table.uncover(id) }
        let known = table.entryID(id: id, hash: table.hash(of: id))
        let existing = known.flatMap { table[$0].pointee.value }
        var result = value
        if let journal = table.journal, journal.isPending(id, known) {
            guard let existing, isLater(value, stamp, than: existing, in: table) else {
                mergeBeneath(value, stamp: stamp)
                return
            }
            if let merge = table.traits.merge, !journal.isOverwritten(id) {
                result = core.writer.runUserCode("merged(with:)", of: Value.self) {
                    merge(existing, value)
                }
                core.checkMerged(result, from: id)
            }
        }
        _ = core.store(result, merging: false, in: table, core.writer)
        let isInvalidated = table.journal?.isInvalidated(id) ?? false
        setFreshness(freshness, isInvalidated: isInvalidated, of: id, in: table)
        setWholeAge(freshness.wholeAge, of: id, in: table)
        if let stamp { setStamp(stamp, of: id, in: table) }
        guard let journal = table.journal,
            let entry = table.entryID(id: id, hash: table.hash(of: id))
        else { return }
        let isMerged =
            table.traits.merge != nil && !core.writer.areEqual(result, value, table.traits)
        // Unwritten changes to all entities would change the row as well. An invalidation that
        // makes the value stale isn't in the storage yet.
        if isMerged || isInvalidated || journal.changes.removesAll || journal.changes.invalidatesAll
        {
            journal.recordStored(entry)
        } else {
            journal.unlist(id, entry)
        }
    }

    /// Removes an entity that another process has removed, with the entities that it owns, unless a
    /// change to it isn't written yet.
    package func remove<Value: Identifiable & Sendable>(
        _ type: Value.Type,
        id: Value.ID
    ) where Value.ID: Sendable {
        guard let table = core.tables.existingTable(of: type) else { return }
        let entry = table.entryID(id: id, hash: table.hash(of: id))
        if let journal = table.journal {
            if journal.isPending(id, entry), !(type is any FinallyRemoved.Type) { return }
            journal.unlist(id, entry)
        }
        _ = core.remove(type, id: id)
    }

    /// The identifiers of the entities of a type that have a confirmed value.
    package func ids<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> [Value.ID] where Value.ID: Sendable {
        guard let table = core.tables.existingTable(of: type) else { return [] }
        table.layers?.uncoverAll()
        return table.occupiedEntries.filter(table.hasValue).map { table[$0].pointee.id }
    }

    /// Returns whether a value is later than the stored one, by their stamps or else their
    /// versions.
    private func isLater<Value: Identifiable & Sendable>(
        _ value: Value,
        _ stamp: (any Comparable & Sendable)?,
        than existing: Value,
        in table: Table<Value>
    ) -> Bool where Value.ID: Sendable {
        let stamped = stamp.flatMap { core.isLater($0, thanStampOf: value.id, in: table) }
        return stamped ?? core.isOutdated(existing, value, table.traits)
    }
}

/// A type of entities whose removal by another process outlives changes that aren't written yet.
package protocol FinallyRemoved {}
