/// Some of the changes that a commit has made to the values of a table.
///
/// Valid until the commit is published, under the writers' lock.
@usableFromInline
struct TableChanges<Value: Identifiable & Sendable> where Value.ID: Sendable {
    @usableFromInline let table: Table<Value>
    /// The entries of the written and the stale entities.
    @usableFromInline let entries: ArraySlice<EntryID>
    @usableFromInline let version: UInt64
    @usableFromInline let writer: Writer

    init(
        _ table: Table<Value>,
        _ entries: ArraySlice<EntryID>,
        at version: UInt64,
        _ writer: Writer
    ) {
        self.table = table
        self.entries = entries
        self.version = version
        self.writer = writer
    }

    /// Calls a closure with the index, the identifier, and the old and the new value of each
    /// entity, unless only its freshness has changed.
    ///
    /// Code that clients compile for the type of the value can read the values without an array
    /// of them, whose elements the runtime would release one by one.
    @inlinable @inline(__always)
    func forEachValue(
        _ body: (_ index: Int, _ id: Value.ID, _ old: Value?, _ new: Value?) -> Void
    ) {
        var start = entries.startIndex
        while start < entries.endIndex {
            let end = min(start + UInt32.bitWidth, entries.endIndex)
            // The entries are in random places. Their versions are read first, so that the
            // processor overlaps the memory accesses.
            var changed: UInt32 = 0
            for index in start..<end where isValueChanged(entries[index]) {
                changed |= 1 &<< UInt32(index - start)
            }
            while changed != 0 {
                let index = start + changed.trailingZeroBitCount
                let entry = table[entries[index]]
                body(
                    index,
                    entry.pointee.id,
                    entry.pointee.prior?.pointee.value,
                    entry.pointee.value
                )
                changed &= changed &- 1
            }
            start = end
        }
    }

    /// The change at an index.
    subscript(index: Int) -> TableChanges {
        TableChanges(table, entries[index...index], at: version, writer)
    }

    /// Returns whether the value of an entity has changed, and not only its freshness.
    @usableFromInline
    func isValueChanged(_ entry: EntryID) -> Bool {
        table[entry].pointee.version == version
            && !(table.isTimed && table.isOnlyRenewed(entry, in: writer))
    }
}
