/// The changes to the entities of a type that a participant hasn't written to its storage yet.
///
/// A participant takes the changes together with a snapshot that shows them, writes them, and then
/// confirms them. Until then, the stored entities count as in use, so that no limit evicts them. An
/// entity is listed once, even if it changes several times in between, and an exchange in place
/// lists it as well.
///
/// Explicit removals and invalidations are listed whether or not memory holds the entities.
/// Evictions, expiries and prunings aren't changes: the participant's storage keeps those entities.
/// Nor are the changes that the participant makes itself, with `CacheAccess.write(…)`.
@usableFromInline
package final class ChangeJournal<Value: Identifiable & Sendable>: @unchecked Sendable
where Value.ID: Sendable {
    // The constants are `Sendable`. The writers' lock guards the other properties.

    @usableFromInline let table: Table<Value>
    package let access: CacheAccess
    private let signal: @Sendable () -> Void

    /// The entries of the entities in `changes.stored` that are still in the table.
    @exclusivity(unchecked) @usableFromInline var slots = SlotSet()
    @exclusivity(unchecked) @usableFromInline var changes = JournaledChanges<Value.ID>()
    /// The entries of the entities in `taken`.
    ///
    /// They count as in use until they're written.
    @exclusivity(unchecked) @usableFromInline private(set) var takenSlots = SlotSet()
    /// The changes that the participant is writing, or `nil` if it writes none.
    ///
    /// Any thread can read the property. It's set under the writers' lock.
    private let takenChanges = Locked<JournaledChanges<Value.ID>?>(nil)
    @exclusivity(unchecked) package private(set) var mustReadStamps = false
    /// The removals and invalidations that were written while the participant read its storage.
    @exclusivity(unchecked) private var settled = JournaledChanges<Value.ID>()
    /// `true` if any of the changes may make stored rows obsolete.
    ///
    /// If it's `false`, restoring a row takes one comparison instead of searches in all changes.
    @exclusivity(unchecked) var concernsRows = false
    /// `true` if `changes` has entities that are no longer listed.
    @exclusivity(unchecked) private var hasUnlisted = false
    /// The number of reads of the storage that haven't ended.
    @exclusivity(unchecked) private var readCount = 0

    /// Creates the journal of a type.
    ///
    /// `CacheAccess.add(_:)` adds it to the cache.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - access: The access of the participant to the cache.
    ///   - signal: A closure that the cache calls at the first change after the changes were taken.
    ///     It runs under the writers' lock, and must return quickly.
    @usableFromInline
    package convenience init(
        of type: Value.Type,
        in access: CacheAccess,
        signal: @escaping @Sendable () -> Void
    ) {
        // A new table is created here, in the client's module, so that its steps are specialized.
        self.init(access.core.tables.table(of: type), access, signal)
    }

    @usableFromInline
    init(_ table: Table<Value>, _ access: CacheAccess, _ signal: @escaping @Sendable () -> Void) {
        self.table = table
        self.access = access
        self.signal = signal
    }

    /// The changes that the participant has taken and not confirmed yet, or `nil` if there are
    /// none.
    package var taken: JournaledChanges<Value.ID>? { takenChanges.withLock { $0 } }

    /// Returns the entities that memory lacked when they were stored, and forgets that it lacked
    /// them.
    ///
    /// The participant's storage may hold further parts of these entities, or newer values. Before
    /// the participant takes the changes, it reads the rows of the entities, and merges them
    /// beneath the stored values with `ParticipantTransaction.mergeBeneath(_:stamp:)`.
    package func takeInserted() -> [Value.ID] {
        core.withWriterLock("takeInserted()") { _ in
            defer { changes.inserted = ChunkedArray() }
            return changes.inserted.filter { !changes.isOverwritten($0) }
        }
    }

    /// `true` if the cache lists changes in the journal.
    package var isRecording: Bool {
        core.withWriterLock("isRecording") { _ in table.journal === self }
    }

    var core: CacheCore { access.core }
    var participant: ObjectIdentifier { access.participant }

    // MARK: Recording, under the writers' lock

    /// Returns whether an entry counts as in use, because its value isn't written yet.
    @usableFromInline
    func holds(_ entry: EntryID) -> Bool { slots.contains(entry) || takenSlots.contains(entry) }

    /// The least number of entries that count as in use.
    @usableFromInline var heldCount: Int { max(slots.count, takenSlots.count) }

    /// Lists a stored entity, unless it's listed already.
    @usableFromInline
    func recordStored(_ entry: EntryID) {
        guard slots.insert(entry) else { return }
        if slots.count == 1 { signal() }
        changes.stored.append(table[entry].pointee.id)
    }

    @usableFromInline
    func recordInserted(_ entry: EntryID) {
        recordStored(entry)
        changes.inserted.append(table[entry].pointee.id)
    }

    /// Lists an entity that was removed explicitly.
    @usableFromInline
    func recordRemoved(_ id: Value.ID) {
        if changes.removesAll { return }
        concernsRows = true
        sendSignalIfUnchanged()
        changes.removed.insert(id)
    }

    /// Records that a value without a merge replaces an entity's stored parts.
    @usableFromInline
    func recordReplaced(_ id: Value.ID) {
        concernsRows = true
        changes.overwritten.insert(id)
    }

    func sendSignalIfUnchanged() { if changes.isEmpty { signal() } }

    @usableFromInline
    func forget(_ entry: EntryID) {
        slots.remove(entry)
        takenSlots.remove(entry)
    }

    func move(_ old: EntryID, to new: EntryID) {
        slots.move(old, to: new)
        takenSlots.move(old, to: new)
    }

    func removeSegment(numbered number: UInt32) {
        slots.removeSegment(numbered: number)
        takenSlots.removeSegment(numbered: number)
    }

    /// No longer lists an entity whose present state is in the participant's storage.
    func unlist(_ id: Value.ID, _ entry: EntryID?) {
        if let entry, slots.remove(entry) { hasUnlisted = true }
        changes.removed.remove(id)
        changes.overwritten.remove(id)
        changes.invalidated.remove(id)
    }

    private func forgetUnlisted() {
        guard hasUnlisted else { return }
        hasUnlisted = false
        let isListed: (Value.ID) -> Bool = { [table, slots] id in
            let entry = table.entryID(id: id, hash: table.hash(of: id))
            return entry.map(slots.contains) ?? false
        }
        changes.stored = ChunkedArray(changes.stored.lazy.filter(isListed))
        changes.inserted = ChunkedArray(changes.inserted.lazy.filter(isListed))
    }

    /// Lists all entities that the table holds, since the participant's storage may lack them.
    package func recordAll() {
        for entry in table.occupiedEntries
        where table.writtenConfirmedValue(id: table[entry].pointee.id) != nil {
            recordInserted(entry)
        }
    }
}

// MARK: - Taking, under the writers' lock

extension ChangeJournal: AnyChangeJournal {
    package var pendingCount: Int { changes.count + (taken?.count ?? 0) }

    package func take() {
        // A participant's `end()` takes all changes that aren't confirmed.
        if core.isClosed { putBack() }
        precondition(taken == nil, "The changes that were taken before must be confirmed first.")
        forgetUnlisted()
        let changes = self.changes
        self.changes = JournaledChanges()
        takenSlots = slots
        slots = SlotSet()
        mustReadStamps = table.stamps != nil && !changes.stored.isEmpty
        if mustReadStamps { keepFormerStamps(true) }
        takenChanges.withLock { $0 = changes }
    }

    package func takeLast() {
        take()
        end()
        takenSlots.forEach(table.recordUnused)
        takenSlots = SlotSet()
    }

    /// Ends the recording, unless the journal has ended already.
    func end() { if table.journal === self { table.journal = nil } }

    package func readStamps() {
        guard let stored = taken?.stored else { return }
        let isEnd = core.writerLock.isHeldByCurrentThread
        // Otherwise, the end of the cache may have taken the changes again in the meantime.
        let isCurrent = { [self] in mustReadStamps && (isEnd || !core.isClosed) }
        let read = stamps(of: stored, while: isCurrent)
        core.withWriterLock("withSnapshot(taking:_:)") { _ in
            guard isCurrent() else { return }
            mustReadStamps = false
            keepFormerStamps(false)
            takenChanges.withLock { $0?.stamps = read }
        }
    }

    private func keepFormerStamps(_ keepsThem: Bool) {
        guard let stamps = table.stamps else { return }
        core.writer.releaseLater(stamps.keepFormerStamps(keepsThem))
    }

    package func confirm() {
        guard let written = takenChanges.withLock({ $0.take() }) else { return }
        if readCount > 0 { settled.formUnion(withdrawalsIn: written) }
        // The identifiers may hold objects that must not be released under the lock.
        core.writer.releaseLater(Released(written))
        forgetObsoleteRows()
        let writtenSlots = takenSlots
        takenSlots = SlotSet()
        // Values that have expired in the meantime are kept until they're no longer in use.
        if table.limits?.state.hasExpired ?? false {
            writtenSlots.forEach { if !slots.contains($0) { table.recordUnused($0) } }
        }
    }

    package func evictSome(_ visitsLeft: inout Int?) -> Bool {
        table.evictSome(&visitsLeft, in: core.writer)
    }

    package func putBack() {
        guard var former = takenChanges.withLock({ $0.take() }) else { return }
        core.writer.releaseLater(Released(former.stamps))
        former.stamps = [:]
        former.append(changes) { id in
            let entry = table.entryID(id: id, hash: table.hash(of: id))
            return entry.map(takenSlots.contains) ?? false
        }
        changes = former
        slots.formUnion(takenSlots)
        takenSlots = SlotSet()
    }

    // MARK: Reading the storage

    package func beginReading() { readCount += 1 }

    package func endReading() {
        readCount -= 1
        guard readCount == 0 else { return }
        core.writer.releaseLater(Released(settled))
        settled = JournaledChanges()
        forgetObsoleteRows()
    }

    /// Updates `concernsRows` after changes were written, unless the storage is being read.
    private func forgetObsoleteRows() {
        if readCount == 0, taken == nil { concernsRows = changes.concernsRows }
    }

    /// Returns whether a stored row of an entity is obsolete, because the entity was removed.
    @usableFromInline
    func isRemoved(_ id: Value.ID) -> Bool {
        guard concernsRows else { return false }
        return changes.isRemoved(id) || taken?.isRemoved(id) ?? false || settled.isRemoved(id)
    }

    /// Returns whether a stored row of an entity is obsolete, because the entity was removed or
    /// replaced.
    func isOverwritten(_ id: Value.ID) -> Bool {
        guard concernsRows else { return false }
        return changes.isOverwritten(id) || taken?.isOverwritten(id) ?? false
            || settled.isRemoved(id)
    }

    /// Returns whether a stored row of an entity is stale, because the entity was invalidated.
    @usableFromInline
    func isInvalidated(_ id: Value.ID) -> Bool {
        guard concernsRows else { return false }
        return changes.isInvalidated(id) || taken?.isInvalidated(id) ?? false
            || settled.isInvalidated(id)
    }
}

/// A journal of any type.
///
/// `CacheAccess` calls the requirements, under the writers' lock unless they say otherwise.
package protocol AnyChangeJournal: WithdrawalRecorder {
    /// The number of entities, removals and invalidations that aren't written yet.
    var pendingCount: Int { get }

    /// Takes the changes so far, and begins to collect later changes separately.
    func take()

    /// Takes the last changes: the journal ends, and the cache records no later ones.
    func takeLast()

    /// `true` if the stamps of the changes that were taken aren't read yet.
    var mustReadStamps: Bool { get }

    /// Reads the stamps of the changes that were taken, some at a time, so that no write waits for
    /// all of them.
    ///
    /// Called without the writers' lock, except by the end of the cache.
    func readStamps()

    /// Ends the writing of the changes that were taken.
    func confirm()

    /// Lists all entities that the cache holds.
    func recordAll()

    /// Puts the changes that were taken back in front of the later ones.
    func putBack()

    /// Begins a read of the participant's storage.
    ///
    /// Until `endReading()`, the journal keeps the removals and invalidations that are confirmed.
    func beginReading()

    /// Ends a read of the storage that `beginReading()` has begun.
    func endReading()

    /// Evicts some of the values above the limit, as part of the open transaction.
    ///
    /// - Parameter visitsLeft: The number of entries that may still be visited, or `nil` at first.
    /// - Returns: `true` if there may be more values above the limit.
    func evictSome(_ visitsLeft: inout Int?) -> Bool
}
