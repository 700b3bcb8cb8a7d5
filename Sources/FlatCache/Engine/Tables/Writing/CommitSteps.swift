/// The steps of a commit for single entries of a written table, as closures.
///
/// A commit accesses the tables through `any AnyTable`, where code that is generic over the value's
/// type would run unspecialized, several times slower. These closures are compiled in the client's
/// module, where a table is first requested, for the one type that the client uses there.
@usableFromInline
struct CommitSteps<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
    @usableFromInline let change:
        @Sendable (Table<Value>, EntryID, Set<CacheKey>, UInt64) -> AnyEvent
    @usableFromInline let deinitializePriorVersions: PriorVersionMemory.Deinitializer
    @usableFromInline let entry: @Sendable (Table<Value>, CacheKey) -> EntryID?

    @inlinable
    init() {
        change = { table, entry, causes, version in
            EventBox(table.entityChange(of: entry, causes: causes, version: version))
        }
        deinitializePriorVersions = { start, count in
            let first = start.assumingMemoryBound(to: PriorVersion<Value>.self)
            // One by one: the run-time function for several isn't specialized.
            for index in 0..<count { (first + index).deinitialize(count: 1) }
        }
        entry = { table, key in table.entryID(of: key) }
    }
}
