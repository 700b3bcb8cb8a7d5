/// The time of a change in a participant's storage that another process has written, to compare it
/// with the changes that the participant hasn't written yet.
package struct ImportedChange: Hashable, Sendable {
    /// The time of the change on the cache's clock.
    let time: Time
    /// A Boolean value that indicates whether the change wins over another one of the same time.
    let winsTies: Bool

    private init(time: Time, winsTies: Bool) {
        self.time = time
        self.winsTies = winsTies
    }

    /// Creates a change.
    ///
    /// The changes of one transaction must have the same instant, so that all of them win or lose.
    ///
    /// - Parameters:
    ///   - instant: The instant of the change, or `nil` if it's earlier than all others.
    ///   - winsTies: A Boolean value that indicates whether the change wins over another one of the
    ///     same time.
    package init(at instant: CacheInstant?, winsTies: Bool) {
        self.init(
            time: instant.map { Time(nanoseconds: $0.offset.nanoseconds) } ?? .min,
            winsTies: winsTies
        )
    }

    /// A change that is later than all changes that aren't written yet.
    package static var latest: ImportedChange { ImportedChange(time: .max, winsTies: true) }
}

extension ChangeJournal {
    /// Returns the entities whose rows concern the cache, because memory holds them, an observation
    /// reaches them, or their removal isn't written yet.
    package func concerning(_ ids: [Value.ID]) -> [Value.ID] {
        core.withWriterLock("concerning(_:)") { writer in
            ids.filter { id in
                let entry = table.entryID(id: id, hash: table.hash(of: id))
                let isStored = entry.map(table.hasValue) ?? false
                return isStored || changes.isRemoved(id) || isObserved(id, writer)
            }
        }
    }

    private func isObserved(_ id: Value.ID, _ writer: Writer) -> Bool {
        !writer.graph.isEmpty && writer.graph.node(of: CacheKey(Value.self, id: id)) != nil
    }

    /// The identifiers of the entities in memory, and of those whose removal isn't written yet.
    package var concernedIDs: [Value.ID] {
        core.withWriterLock("concernedIDs") { _ in
            table.occupiedEntries.filter(table.hasValue).map { table[$0].pointee.id }
                + changes.removed
        }
    }

    /// The identifiers of the entities in memory whose changes are all written.
    package var writtenIDs: [Value.ID] {
        core.withWriterLock("writtenIDs") { _ in
            table.occupiedEntries.filter { table.hasValue($0) && !holds($0) }
                .map { table[$0].pointee.id }
        }
    }

    /// The entities that memory lacked when they were stored, with changes that aren't written yet.
    package var insertedIDs: Set<Value.ID> {
        core.withWriterLock("insertedIDs") { _ in Set(changes.inserted) }
    }

    /// A Boolean value that indicates whether a removal of all entities isn't written yet.
    package var removesAll: Bool { core.withWriterLock("removesAll") { _ in changes.removesAll } }

    // MARK: Under the writers' lock

    /// Returns whether a change to an entity isn't written yet.
    func isPending(_ id: Value.ID, _ entry: EntryID?) -> Bool {
        changes.isRemoved(id) || entry.map(slots.contains) ?? false
    }

    /// Returns whether the changes that aren't written yet are earlier than an imported one.
    ///
    /// All of them count as made at the time of the first one. Recording a time for each change
    /// would make each write slower.
    func areEarlier(than change: ImportedChange) -> Bool {
        guard let first = changes.firstTime else { return true }
        return first < change.time || first == change.time && change.winsTies
    }
}
