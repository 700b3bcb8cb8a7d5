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
        let registration = Registration(
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

    /// Takes the changes in some journals, and runs a closure with a snapshot that shows exactly
    /// these and all earlier ones.
    ///
    /// The caller must then call `confirm(_:)` or `putBack(_:)`, before it takes changes again. The
    /// closure runs under no lock.
    ///
    /// A participant's `end(_:)` calls this method to take all changes that aren't confirmed,
    /// including changes that another thread is writing. The closure then runs under the writers'
    /// lock. If the cache has ended while the closure read values (`isClosed` is `true`
    /// afterwards), the snapshot may have lacked values, and the caller must drop the values.
    ///
    /// - Parameters:
    ///   - journals: The journals, whose `taken` contains the changes.
    ///   - endsJournals: A Boolean value that indicates whether the journals end in the same step,
    ///     so that the snapshot shows all changes that they have recorded.
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
    /// - Returns: `false` if the cache has ended, so that the participant's `end(_:)` has taken the
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

    /// Runs a closure with the snapshot of a version, which must be open.
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
