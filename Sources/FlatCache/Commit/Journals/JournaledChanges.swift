/// The changes to the entities of a type that a journal has collected.
///
/// The changes lead from one state of the participant's storage to another, in any order: first
/// removals and invalidations, then the stored values, as the snapshot of the changes shows them.
///
/// The lists grow in chunks, so a write takes the same time for any number of listed entities.
@usableFromInline
package struct JournaledChanges<ID: Hashable & Sendable>: Sendable {
    /// The identifiers of the entities whose values, freshness or stamps have changed.
    ///
    /// An entity that was removed after the change is listed, but has no value in the snapshot.
    @usableFromInline package var stored = ChunkedArray<ID>()
    /// The identifiers of the entities that memory lacked when a write merged a value into them.
    ///
    /// The storage may hold parts that memory doesn't, or a newer value. The parts of an entity for
    /// which `isOverwritten(_:)` returns `true` are obsolete.
    @usableFromInline package var inserted = ChunkedArray<ID>()
    /// The identifiers of the entities whose stored parts are obsolete, since a value replaced
    /// them.
    @usableFromInline package var overwritten = ChunkedSet<ID>()
    /// The identifiers of the entities that were removed explicitly.
    @usableFromInline package var removed = ChunkedSet<ID>()
    /// `true` if all entities of the type were removed explicitly.
    @usableFromInline package var removesAll = false
    /// The identifiers of the invalidated entities whose values weren't listed, or can be merged.
    @usableFromInline package var invalidated = ChunkedSet<ID>()
    /// `true` if the whole type was invalidated.
    @usableFromInline package var invalidatesAll = false
    /// The prefixes of the names of invalidated requests, in the journal of requests.
    @usableFromInline package var invalidatedPrefixes: [String] = []
    /// The modification stamps of the stored entities that have one, as of the snapshot.
    @usableFromInline package var stamps: [ID: any Comparable & Sendable] = [:]

    @usableFromInline
    package init() {}

    /// `true` if nothing has changed.
    package var isEmpty: Bool { count == 0 }

    /// The number of stored entities, removals and invalidations.
    var count: Int {
        stored.count + removed.count + (removesAll ? 1 : 0) + invalidated.count
            + (invalidatesAll ? 1 : 0) + invalidatedPrefixes.count
    }

    /// `true` if the changes make stored rows obsolete or stale.
    var concernsRows: Bool {
        removesAll || invalidatesAll || !removed.isEmpty || !overwritten.isEmpty
            || !invalidated.isEmpty || !invalidatedPrefixes.isEmpty
    }

    /// Returns whether the storage's parts of an entity are obsolete.
    package func isOverwritten(_ id: ID) -> Bool {
        removesAll || overwritten.contains(id) || removed.contains(id)
    }

    /// Returns whether an entity was removed explicitly, even if it was stored again.
    func isRemoved(_ id: ID) -> Bool { removesAll || removed.contains(id) }

    /// Returns whether the stored row of an entity is stale, because the entity was invalidated.
    package func isInvalidated(_ id: ID) -> Bool {
        if invalidatesAll || invalidated.contains(id) { return true }
        guard !invalidatedPrefixes.isEmpty, let name = id as? String else { return false }
        return invalidatedPrefixes.contains { name.hasPrefix($0) }
    }

    /// Adds later changes.
    ///
    /// The listed entities keep their order, and the later ones follow. An entity that both lists
    /// contain appears once in `stored`.
    ///
    /// - Parameter isListed: A closure that returns whether `stored` contains a later entity
    ///   already.
    /// - Complexity: O(*n*) in the number of later changes, unless a copy of these changes exists.
    mutating func append(_ later: JournaledChanges, isListed: (ID) -> Bool) {
        for id in later.stored where !isListed(id) { stored.append(id) }
        for id in later.inserted { inserted.append(id) }
        overwritten.formUnion(later.overwritten)
        formUnion(withdrawalsIn: later)
    }

    /// Adds the removals and invalidations of other changes.
    mutating func formUnion(withdrawalsIn other: JournaledChanges) {
        removed.formUnion(other.removed)
        removesAll = removesAll || other.removesAll
        invalidated.formUnion(other.invalidated)
        invalidatesAll = invalidatesAll || other.invalidatesAll
        invalidatedPrefixes += other.invalidatedPrefixes
    }
}

extension CacheAccess {
    /// Begins to collect the changes to the entities of a type in a journal.
    ///
    /// The journal begins with all entities that the cache holds. The call doesn't wait for another
    /// thread's write.
    ///
    /// - Returns: The token that ends the journal. Afterwards, its entities no longer count as in
    ///   use.
    /// - Precondition: The type has no other journal.
    package func add<Value: Identifiable & Sendable>(
        _ journal: ChangeJournal<Value>
    ) -> Disposable where Value.ID: Sendable {
        let number = core.nextRegistration()
        let registration = PendingRegistration(
            number: number,
            add: { [unowned core] _ in
                precondition(
                    journal.table.journal == nil,
                    """
                    \(Value.self) is already kept by another graph of this cache. Detach the other \
                    graph first, or declare the type in one of them only.
                    """
                )
                journal.table.journal = journal
                core.writer.hasJournals = true
                core.writer.participants.insert(journal, for: number)
                journal.recordAll()
            }
        )
        core.register(registration, "add(_:)")
        return core.token(for: registration) { writer in
            guard let removed = writer.participants.remove(number) else { return }
            journal.end()
            writer.releaseLater(removed)
        }
    }

    /// Returns whether the changes to a type are collected in a journal.
    package func hasJournal<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> Bool where Value.ID: Sendable {
        core.withWriterLock("hasJournal(of:)") { _ in core.tables.table(of: type).journal != nil }
    }

    /// Takes the changes in some journals, and runs a closure with a snapshot that shows exactly
    /// these and all earlier ones.
    ///
    /// The caller must then call `confirm(_:)` or `putBack(_:)`, before it takes changes again. The
    /// closure runs under no lock.
    ///
    /// A participant's `end()` calls this method to take all changes that aren't confirmed,
    /// including changes that another thread is writing. The closure then runs under the writers'
    /// lock. If the cache has ended while the closure read values (`isClosed` is `true`
    /// afterwards), the snapshot may have lacked values, and the caller must drop the values.
    ///
    /// - Parameters:
    ///   - journals: The journals, whose `taken` contains the changes.
    ///   - endsJournals: `true` if the journals end in the same step, so that the snapshot shows
    ///     all changes that they have recorded.
    ///   - body: A closure that reads the values.
    @discardableResult
    package func withSnapshot<Result, Failure: Error>(
        taking journals: [any AnyChangeJournal],
        endsJournals: Bool = false,
        _ body: (CacheSnapshot) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (version, stamped) = core.withWriterLock("withSnapshot(taking:_:)") { writer in
            precondition(!writer.isInTransaction, "Changes can't be taken during a write.")
            for journal in journals { endsJournals ? journal.takeLast() : journal.take() }
            return (core.clock.openSnapshot(), journals.filter(\.mustReadStamps))
        }
        defer { core.closeSnapshot(version) }
        for journal in stamped { journal.readStamps() }
        return try core.withSnapshot(at: version, body)
    }

    /// Ends the writing of the changes that were taken from some journals, and evicts the values
    /// that exceed the limits, some at a time.
    ///
    /// - Returns: `false` if the cache has ended, so that the participant's `end()` has taken the
    ///   changes again.
    @discardableResult
    package func confirm(_ journals: [any AnyChangeJournal]) -> Bool {
        let isClosed = core.withWriterLock("confirm(_:)") { _ in
            if core.isClosed { return true }
            for journal in journals { journal.confirm() }
            return false
        }
        if isClosed { return false }
        for journal in journals {
            var visitsLeft: Int?
            while core.evictSome(of: journal, &visitsLeft) {}
        }
        return true
    }

    /// Returns the number of changes in some journals that aren't written yet.
    package func pendingCount(of journals: [any AnyChangeJournal]) -> Int {
        core.withWriterLock("pendingCount(of:)") { _ in
            journals.reduce(0) { $0 + $1.pendingCount }
        }
    }

    /// Lists all entities that the cache holds in some journals, since the participant's storage
    /// may have lost them.
    package func recordAll(in journals: [any AnyChangeJournal]) {
        core.withWriterLock("recordAll(in:)") { _ in
            for journal in journals { journal.recordAll() }
        }
    }

    /// Puts the changes that were taken from some journals back, since they couldn't be written.
    package func putBack(_ journals: [any AnyChangeJournal]) {
        core.withWriterLock("putBack(_:)") { _ in for journal in journals { journal.putBack() } }
    }
}

extension CacheCore {
    fileprivate func evictSome(
        of journal: any AnyChangeJournal,
        _ visitsLeft: inout Int?
    ) -> Bool {
        write("confirm(_:)") { _ in
            doDeferredWork()
            let mayBeMore = journal.evictSome(&visitsLeft)
            removeOrphans()
            return mayBeMore
        }
    }

    /// Runs a closure with the snapshot of an open version.
    func withSnapshot<Result, Failure: Error>(
        at version: UInt64,
        _ body: (CacheSnapshot) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let time = isTimed ? policies.timeline.now : nil
        let snapshot = CacheSnapshot(core: self, version: version, time: time)
        defer { snapshot.end() }
        return try body(snapshot)
    }
}
