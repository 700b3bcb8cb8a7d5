#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// These methods find the rows that other graphs have stored after the last changes of a cache. The
// changes must not remove these rows or make them stale.
extension DurableTable {
    /// Returns the identifiers of the rows that other graphs have stored after changes, if the
    /// changes remove or invalidate rows.
    func identifiersStoredLater(
        than changes: EntityChanges<Value>,
        _ others: ChangesOfOthers,
        _ database: Database
    ) throws(SQLiteGraphError) -> Set<RowIdentifier> {
        let taken = changes.taken
        let concernsRows =
            taken.removesAll || !taken.removed.isEmpty || !changes.removedPrefixes.isEmpty
            || taken.invalidates
        guard concernsRows else { return [] }
        let listed = others.stored.filter { isLater($0.value, than: taken, others) }
        var later = Set(listed.keys)
        guard others.storesUnlisted else { return later }
        let select = try database.statement(sql.times)
        defer { select.reset() }
        while try select.step() {
            let identifier = select.identifier(0, form.column)
            guard others.stored[identifier] == nil, others.removed[identifier] == nil else {
                continue
            }
            if isUnlistedLater(select, than: taken, others) { later.insert(identifier) }
        }
        return later
    }

    /// Returns whether the present row of a statement was stored after changes, by a transaction
    /// that doesn't list it.
    private func isUnlistedLater(
        _ select: Statement,
        than taken: JournaledChanges<Value.ID>,
        _ others: ChangesOfOthers
    ) -> Bool {
        if let mark = others.unlistedMark(writtenAt: timeOfWrite(select, 2)) {
            return isLater(mark, than: taken, others)
        }
        // Without a mark, a row is as old as its value, if it contains the value's age.
        return !select.isNull(1) && now.age(of: select.number(1)) < taken.age
    }

    /// Replaces a removal of all requests by removals of the requests that weren't stored later.
    ///
    /// `rows(_:removedBy:_:_:)` can't read the others to write them again, since only a load knows
    /// the type of a response. Other graphs don't import removals of requests.
    func spareFromRemoval(
        _ later: Set<RowIdentifier>,
        _ taken: inout JournaledChanges<Value.ID>,
        _ database: Database
    ) throws(SQLiteGraphError) {
        guard taken.removesAll, durable.state?.needsType ?? false else { return }
        taken.removesAll = false
        taken.removed.formUnion(spared(try storedIDs(database), later))
    }

    /// Replaces an invalidation of several rows by invalidations of the rows that weren't stored
    /// later.
    func spareFromInvalidation(
        _ later: Set<RowIdentifier>,
        _ taken: inout JournaledChanges<Value.ID>,
        _ database: Database
    ) throws(SQLiteGraphError) {
        guard taken.invalidates else { return }
        var invalidated = taken.invalidated
        if taken.invalidatesAll {
            invalidated.formUnion(try storedIDs(database))
        } else {
            let rows = try identifiers(withPrefixes: taken.invalidatedPrefixes, database)
            invalidated.formUnion(rows.compactMap { try? form.decode($0) })
        }
        taken.invalidatesAll = false
        taken.invalidatedPrefixes = []
        taken.invalidated = ChunkedSet(spared(invalidated, later))
    }

    /// Returns the entities whose rows weren't stored later.
    private func spared(_ ids: some Sequence<Value.ID>, _ later: Set<RowIdentifier>) -> [Value.ID] {
        ids.filter { id in !((try? form.encode(id)).map(later.contains) ?? false) }
    }

    /// Returns the rows that were stored after changes that remove all entities or all lists with
    /// a prefix.
    ///
    /// The changes delete these rows, too, so that they must be written again.
    func rows(
        _ later: Set<RowIdentifier>,
        removedBy changes: EntityChanges<Value>,
        _ database: Database,
        _ errors: inout [SQLiteGraphError]
    ) throws(SQLiteGraphError) -> [StoredRow<Value>] {
        guard changes.taken.removesAll || !changes.removedPrefixes.isEmpty else { return [] }
        // An entity that was stored and then removed has no value.
        let known = Set(changes.entities.map(\.id))
        var rows: [StoredRow<Value>] = []
        for identifier in later {
            guard let id = try? form.decode(identifier), isKept(id), !known.contains(id),
                let row = try read(id, database, &errors)
            else { continue }
            rows.append(row)
        }
        return rows
    }
}

extension JournaledChanges {
    /// `true` if the changes invalidate entities that memory lacked.
    fileprivate var invalidates: Bool {
        invalidatesAll || !invalidated.isEmpty || !invalidatedPrefixes.isEmpty
    }
}
#endif
