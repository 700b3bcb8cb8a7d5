/// The steps of a commit for the entries of a written table, as closures.
///
/// A commit accesses the tables through `any AnyTable`, where code that is generic over the value's
/// type would run unspecialized, several times slower. These closures are compiled in the client's
/// module, where a table is first requested, for the one type that the client uses there.
@usableFromInline
struct CommitSteps<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    @usableFromInline let discardUnchanged: @Sendable (Table<Value>, Writer) -> Int
    @usableFromInline let reclaimPending: @Sendable (Table<Value>, Writer) -> Void
    @usableFromInline let recordWritten: @Sendable (Table<Value>, Writer) -> Void
    @usableFromInline let recordInJournal: @Sendable (Table<Value>, Writer) -> Void
    @usableFromInline let evictExcess: @Sendable (Table<Value>, Writer) -> Int
    @usableFromInline let appendWatchedNodes: @Sendable (Table<Value>, inout [WatchNodeID]) -> Void
    @usableFromInline let change:
        @Sendable (Table<Value>, EntryID, Set<CacheKey>, UInt64) -> AnyEvent
    @usableFromInline
    let changes: @Sendable (Table<Value>, ArraySlice<EntryID>, UInt64) -> [EntityChange<Value>]
    @usableFromInline
    let forEachValue:
        @Sendable (TableChanges<Value>, (Int, Value.ID, Value?, Value?) -> Void) -> Void
    @usableFromInline let deinitializePriorVersions: PriorVersionMemory.Deinitializer
    @usableFromInline let entry: @Sendable (Table<Value>, CacheKey) -> EntryID?
    @usableFromInline let setNode: @Sendable (Table<Value>, WatchNodeID, EntryID) -> Void

    @inlinable
    init() {
        discardUnchanged = { table, writer in table.discardUnchangedEntries(in: writer) }
        reclaimPending = { table, writer in table.reclaimPendingEntries(in: writer) }
        recordWritten = { table, writer in table.recordWrittenEntries(in: writer) }
        recordInJournal = { table, writer in table.recordPendingInJournal(in: writer) }
        evictExcess = { table, writer in table.evictExcessEntries(in: writer) }
        appendWatchedNodes = { table, nodes in table.appendNodesOfPending(to: &nodes) }
        change = { table, entry, causes, version in
            EventBox(table.entityChange(of: entry, causes: causes, version: version))
        }
        changes = { table, entries, version in
            entries.map { table.entityChange(of: $0, causes: nil, version: version) }
        }
        forEachValue = { changes, body in changes.forEachValue(body) }
        deinitializePriorVersions = { start, count in
            let first = start.assumingMemoryBound(to: PriorVersion<Value>.self)
            // One by one: the run-time function for several isn't specialized.
            for index in 0..<count { (first + index).deinitialize(count: 1) }
        }
        entry = { table, key in table.entryID(of: key) }
        setNode = { table, node, entry in table[entry].pointee.node = node }
    }
}
