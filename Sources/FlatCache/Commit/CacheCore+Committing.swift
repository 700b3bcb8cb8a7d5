import Synchronization

// The stages of a commit.
extension CacheCore {
    /// Publishes the open transaction, unless it has changed nothing.
    func commit() {
        // A participant that registered during the transaction takes part, and an observer protects
        // its entities from eviction. Later registrations are added once the commit is published.
        addWaitingRegistrations()
        // The stages up to the journals see the confirmed values.
        for layers in writer.layers { layers.uncoverWritten() }
        rewrite()
        if writer.hasLeases, !writer.isRestoring { recordWritesForLeases() }
        recordWritten(to: writer.writtenTables)
        let isDerivationRequested = takeDerivationRequest()
        // A value that is stored again and equal isn't a change, but has a new time.
        recordInJournals { $0.isTimed }
        if !writer.layers.isEmpty {
            for layers in writer.layers { layers.recordInJournal() }
            coverLayers()
        }
        var isChanged = discardUnchanged(in: writer.writtenTables) > 0
        guard isChanged || isDerivationRequested else { return endWithoutCommit() }
        countPins(of: writer.writtenTables)
        recordResponses()
        recordInJournals { !$0.isTimed }
        let version = writer.writeVersion
        updateWatchGraph(for: writer.writtenTables, at: version)
        addStaleness(ofNewlyWatchedAt: version)
        // Values in use must not be evicted. They're known only after the watch graph is up to
        // date.
        if evictExcess() {
            // A response that was stored and evicted in this commit is discarded with the others.
            recordResponses()
            isChanged = discardUnchanged(in: writer.writtenTables) > 0
        }
        guard isChanged || isDerivationRequested else { return endWithoutCommit() }
        let hasDerived = derive(version)
        guard isChanged || hasDerived else { return endWithoutCommit() }
        var notifications = entityNotifications(for: version)
        notifications += typeNotifications(for: version)
        record(version, into: &notifications)
        for table in writer.writtenTables { table.prepareToPublish(version) }
        clock.publish(version)
        let completions = writer.endTransaction(committing: version)
        notifications += lateNotifications(of: version)
        notifications += requestNotifications(for: version)
        enqueue(notifications, completions)
        writer.reclaimWrittenTables()
    }

    private func endWithoutCommit() {
        let completions = writer.endTransaction(committing: nil)
        enqueue([], completions)
        writer.reclaimWrittenTables()
    }

    /// Discards the writes to tables that left their entries unchanged; returns the number of
    /// changed or expiring entries.
    private func discardUnchanged(in tables: some Collection<any AnyTable>) -> Int {
        var changedCount = 0
        for table in tables {
            changedCount += table.discardUnchanged(in: writer)
        }
        writer.passOnNodeChanges()
        return changedCount
    }

    /// Lists the writes to some tables in their journals, before any value is evicted.
    private func recordInJournals(of isChosen: (any AnyTable) -> Bool) {
        guard writer.hasJournals else { return }
        for table in writer.writtenTables where table.hasJournal && isChosen(table) {
            table.recordInJournal(in: writer)
        }
    }

    // MARK: Participants

    private func rewrite() {
        guard !writer.participants.rewriters.isEmpty,
            !writer.writtenTables.isEmpty || !writer.withdrawals.isEmpty
        else { return }
        var commit = Commit(self, .rewriting, version: writer.writeVersion)
        writer.participants.rewriters.forEach { rewriter in
            writer.runUserCode("rewrite(_:)", of: (any CommitRewriter).self) {
                rewriter.rewrite(&commit)
            }
        }
    }

    /// Lets the derivers write their entities, and updates pins and the watch graph for those.
    ///
    /// - Returns: `true` if a deriver has written.
    private func derive(_ version: UInt64) -> Bool {
        guard !writer.participants.derivers.isEmpty else { return false }
        let writtenCount = writer.writtenTables.count
        var commit = Commit(self, .deriving, version: version)
        writer.participants.derivers.forEach { deriver in
            writer.runUserCode("derive(_:)", of: (any CommitDeriver).self) {
                deriver.derive(&commit)
            }
        }
        let derived = writer.writtenTables[writtenCount...]
        guard !derived.isEmpty else { return false }
        recordWritten(to: derived)
        let isChanged = discardUnchanged(in: derived) > 0
        countPins(of: derived)
        updateWatchGraph(for: derived, at: version)
        return isChanged
    }

    private func record(_ version: UInt64, into notifications: inout [CommitNotification]) {
        guard !writer.participants.recorders.isEmpty else { return }
        var commit = Commit(self, .recording, version: version)
        writer.participants.recorders.forEach { record(&commit, in: $0) }
        notifications += commit.notifications
    }

    private func record(_ commit: inout Commit, in recorder: any CommitRecorder) {
        writer.runUserCode("record(_:)", of: (any CommitRecorder).self) {
            recorder.record(&commit)
        }
    }

    /// Adds the waiting registrations after a commit has been published, and returns the
    /// notifications of the commit that they missed because they count from an older version.
    ///
    /// The commit's tables must not have been reclaimed yet.
    func lateNotifications(of version: UInt64) -> [CommitNotification] {
        let late = addWaitingRegistrations()
        guard !late.isEmpty else { return [] }
        addStaleness(ofNewlyWatchedAt: version)
        let observers = entityNotifications(for: version) + typeNotifications(for: version)
        var commit = Commit(self, .recording, version: version)
        for number in late.sorted() {
            if let recorder = writer.participants.recorders[number] {
                record(&commit, in: recorder)
            }
        }
        return observers.filter { late.contains($0.number) } + commit.notifications
    }

    // MARK: Notifications

    /// Appends a commit's notifications to the delivery queue: the observers' in the order of their
    /// registration, then the completions of batches.
    func enqueue(
        _ observers: [CommitNotification],
        _ completions: [@Sendable () -> Void]
    ) {
        if observers.isEmpty, completions.isEmpty { return }
        var notifications = observers.inOrder
        for completion in completions { notifications.append(.action(completion)) }
        writer.mustDeliver(through: deliveryQueue.append(notifications))
    }
}

// Commits that only derivers write.
extension CacheCore {
    /// Makes derivers take part in a commit soon, even if no other entity changes.
    ///
    /// If the writers' lock is free, the commit happens at once; otherwise, when it's released.
    func requestDerivation() {
        mustDerive.store(true, ordering: .sequentiallyConsistent)
        doDeferredWorkIfIdle()
    }

    var isDerivationRequested: Bool { mustDerive.load(ordering: .sequentiallyConsistent) }

    func takeDerivationRequest() -> Bool {
        isDerivationRequested
            && mustDerive.exchange(false, ordering: .sequentiallyConsistent)
    }
}
