// Everything here is called under the writers' lock.
extension Table {
    func mergeInnermostLevel(of writer: Writer) {
        let outer = writer.level - 1
        var start = pending.count
        while start > 0, pending[start - 1].version == writer.level { start -= 1 }
        var kept = start
        for index in start..<pending.count {
            let entry = pending[index]
            let outerWrite = entry.displaced?.version == outer ? entry.displaced : nil
            let lock = stripe(of: entry.hash).pointee.lock
            lock.acquire()
            entry.version = outer
            if let outerWrite { entry.displaced = outerWrite.older }
            lock.release()
            if let outerWrite {
                // The entry is listed among those of the outer level already.
                writer.releaseLater(outerWrite)
            } else {
                pending[kept] = entry
                kept += 1
            }
        }
        pending.removeSubrange(kept...)
    }

    func rollBackInnermostLevel(of writer: Writer) {
        while let entry = pending.last, entry.version == writer.level {
            pending.removeLast()
            restore(entry, in: writer)
        }
    }

    func discardUnchanged(in writer: Writer) -> Int { steps.discardUnchanged(self, writer) }

    @inlinable
    func discardUnchangedEntries(in writer: Writer) -> Int {
        var changed = 0
        for index in pending.indices {
            let entry = pending[index]
            if isUnchanged(entry, in: writer) {
                restore(entry, in: writer)
            } else {
                if changed < index { pending[changed] = entry }
                changed += 1
            }
        }
        if changed < pending.count { pending.removeSubrange(changed...) }
        return changed
    }

    @inlinable
    func isUnchanged(_ entry: Entry<Value>, in writer: Writer) -> Bool {
        guard let displaced = entry.displaced, displaced.value != nil else {
            return entry.value == nil
        }
        guard traits.isEqual != nil, let old = displaced.value, let new = entry.value else {
            return false
        }
        return writer.areEqual(old, new, traits)
    }

    /// Undoes the newest write to an entry.
    @usableFromInline
    func restore(_ entry: Entry<Value>, in writer: Writer) {
        let previous = entry.displaced
        let undone = Displaced(value: entry.value, version: entry.version, older: nil)
        countDifference += (previous?.value == nil ? 0 : 1) - (entry.value == nil ? 0 : 1)
        let lock = stripe(of: entry.hash).pointee.lock
        lock.acquire()
        entry.value = previous?.value
        // An entry that was new goes back to being empty since ever: its version must not look like
        // that of the next transaction.
        entry.version = previous?.version ?? 0
        entry.displaced = previous?.older
        lock.release()
        writer.releaseLater(undone)
        if previous == nil { detach(entry, in: writer) }
    }

    func appendWatchedNodes(to nodes: inout [WatchNodeID]) {
        for entry in pending where entry.node != .none { nodes.append(entry.node) }
    }

    func change(
        of entry: AnyEntry,
        causes: Set<CacheKey>,
        version: UInt64
    ) -> AnyObject {
        let entry = typed(entry)
        let isWritten = entry.version == version
        let new = entry.value
        let old = isWritten ? entry.displaced?.value : new
        let kind: Change<Value>.Kind
        switch (isWritten, old != nil, new != nil) {
        case (false, _, _): kind = .related
        case (true, false, _): kind = .inserted
        case (true, true, true): kind = .updated
        case (true, true, false): kind = .removed
        }
        return ChangeBox(
            Change(id: entry.id, kind: kind, old: old, new: new, causes: causes, version: version)
        )
    }

    func prepareToPublish(_ version: UInt64) {
        guard countDifference != 0 else { return }
        committedCount.withLock { $0.add(countDifference, at: version) }
        hasCountHistory = true
        countDifference = 0
    }

    func settle(in writer: Writer) { steps.settlePending(self, writer) }

    @inlinable
    func settlePendingEntries(in writer: Writer) {
        guard !clock.hasOpenSnapshots, unsettled.isEmpty else {
            return settleForSnapshots(in: writer)
        }
        for entry in pending {
            if let displaced = entry.displaced {
                let lock = stripe(of: entry.hash).pointee.lock
                lock.acquire()
                entry.displaced = nil
                lock.release()
                writer.releaseLater(displaced)
            }
            if entry.value == nil, !entry.isDetached { detach(entry, in: writer) }
        }
        pending.removeAll(keepingCapacity: pending.capacity <= Self.keptPendingCapacity)
        settleCount(keeping: [])
    }

    /// How much room for written entries is kept between commits.
    @inlinable static var keptPendingCapacity: Int { 64 }

    /// Settles while snapshots are open, or what was kept for some.
    @usableFromInline
    func settleForSnapshots(in writer: Writer) {
        let hasOpenSnapshots = clock.hasOpenSnapshots
        let readVersions = hasOpenSnapshots ? clock.openSnapshotVersions : []
        var entries = pending
        pending = []
        // What an open snapshot has prevented from being tidied waits until there is none, or until
        // so much waits that going through it costs little for each.
        let goesThroughUnsettled = !hasOpenSnapshots || unsettled.count >= unsettledLimit
        if goesThroughUnsettled {
            for entry in unsettled { entry.isUnsettled = false }
            entries += unsettled
            unsettled = []
        }
        for entry in entries { settle(entry, keeping: readVersions, in: writer) }
        if goesThroughUnsettled {
            detachUnread(in: writer)
            // Going through them may take all slots anew, so they must be many in proportion.
            unsettledLimit = max(Self.leastUnsettledLimit, unsettled.count * 2, count(at: nil) / 4)
        }
        settleCount(keeping: readVersions)
    }

    @usableFromInline
    func settleCount(keeping readVersions: [UInt64]) {
        guard hasCountHistory || !unsettled.isEmpty else { return }
        committedCount.withLock { count in
            count.settle(keeping: readVersions)
            hasCountHistory = count.holdsDisplaced
        }
        if hasUnsettled { clock.hasLeftovers = true }
    }

    var hasUnsettled: Bool { !unsettled.isEmpty || hasCountHistory }

    /// Takes the entries out that are empty to every open snapshot.
    ///
    /// Other readers scan the tables as they are now, so these are replaced instead of changed.
    private func detachUnread(in writer: Writer) {
        var kept: [Entry<Value>] = []
        var leaving: [Int: [Entry<Value>]] = [:]
        for entry in unsettled {
            guard entry.value == nil, entry.displaced == nil else {
                kept.append(entry)
                continue
            }
            writer.graph.detach(entry)
            leaving[Stripes.index(of: entry.hash), default: []].append(entry)
        }
        unsettled = kept
        for (index, entries) in leaving {
            let stripe = stripes + index
            let identities = Set(entries.map(ObjectIdentifier.init))
            let remaining = stripe.pointee.slots.filtered {
                !identities.contains(ObjectIdentifier($0))
            }
            exchangeSlots(of: stripe, for: remaining, leaving: entries)
        }
    }

    private func settle(
        _ entry: Entry<Value>,
        keeping readVersions: [UInt64],
        in writer: Writer
    ) {
        if entry.displaced != nil {
            dropDisplaced(of: entry, keeping: readVersions, in: writer)
        }
        if entry.displaced != nil {
            keepUnsettled(entry)
        } else if entry.value == nil, !entry.isDetached {
            detach(entry, in: writer)
        }
    }

    private func dropDisplaced(
        of entry: Entry<Value>,
        keeping readVersions: [UInt64],
        in writer: Writer
    ) {
        let lock = stripe(of: entry.hash).pointee.lock
        lock.acquire()
        defer { lock.release() }
        var newerVersion = entry.version
        var next = entry.displaced
        var lastKept: Displaced<Value>?
        entry.displaced = nil
        while let displaced = next {
            next = displaced.older
            displaced.older = nil
            if readVersions.contains(where: { displaced.version <= $0 && $0 < newerVersion }) {
                if let lastKept { lastKept.older = displaced } else { entry.displaced = displaced }
                lastKept = displaced
            } else {
                writer.releaseLater(displaced)
            }
            newerVersion = displaced.version
        }
    }
}
