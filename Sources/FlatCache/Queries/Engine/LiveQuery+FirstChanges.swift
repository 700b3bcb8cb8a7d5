// The first changes of observations that begin before the result is current.
//
// Such an observation starts at a version for which no result is stored. For example, it starts at
// version 5, the first run of the query reads version 6, and a commit stores its result as version
// 8. The observer must then receive the change from 5 to 8. While the observation waits, it keeps a
// snapshot of its version open, from which that commit computes the change.
extension LiveQuery {
    typealias Transition = QueryTransition<Element, Payload>
    /// The first change of an observation, if the observation begins before the first state.
    typealias FirstChange = Locked<Transition?>

    struct WaitingObservation {
        /// The version at which the observation starts, of which a snapshot is open.
        let version: UInt64
        let firstChange: FirstChange
    }

    /// Begins an observation that starts at a version, under the writers' lock.
    func beginObservation(_ version: UInt64, _ firstChange: FirstChange, in core: CacheCore) {
        let observation = WaitingObservation(version: version, firstChange: firstChange)
        switch phase {
        case .idle:
            break
        case .waitingForFirstRun:
            core.clock.openSnapshot(of: version)
            waitingObservations.append(observation)
        case .current where storedRows(in: core, at: version) == nil:
            // The observation began during the commit of the first state. That commit has just been
            // published and has yet to notify it.
            let keys = core.writer.changedKeys(at: core.writer.committedVersion)
            core.writer.runUserCode("a closure of a query", of: Element.self) {
                setFirstChange(of: observation, in: core, since: keys)
            }
        case .current:
            break
        }
    }

    /// Computes the changes since the versions of waiting observations, in the commit that writes
    /// the first state.
    ///
    /// - Parameter keys: The keys of the entities that have changed since the oldest version.
    func endWaitingOfObservations(in core: CacheCore, sinceFirstRun keys: Set<CacheKey>) {
        for observation in waitingObservations {
            setFirstChange(of: observation, in: core, since: keys)
            core.clock.closeSnapshot(observation.version)
        }
        waitingObservations = []
    }

    /// Computes the change of an observation from its version to the present rows.
    ///
    /// - Parameter keys: The keys of the entities that may have changed since that version.
    private func setFirstChange(
        of observation: WaitingObservation,
        in core: CacheCore,
        since keys: Set<CacheKey>
    ) {
        let writer = core.writer
        let reading = QueryReaders(
            old: QueryReader(core, at: observation.version, recordsReads: false),
            new: QueryReader(core, at: nil, recordsReads: false)
        )
        // A row whose entities are unchanged has read the same entities in both states.
        let ids = idsOfRows(dependingOn: keys)
        let compareValue = definition.steps.compareValue
        var changes = QueryRowChanges<Element.ID, Payload>()
        for id in ids {
            let (old, new) = (reading.old.get(id: id, in: table), table.writtenValue(id: id))
            let isEqual =
                if let old, let new { writer.areEqual(old, new, table.traits) } else { false }
            let isChanged = !isEqual && keys.contains(CacheKey(Element.self, id: id))
            compareValue(definition, old, new, isChanged, reading, &changes, &scratch)
        }
        var inverse = QueryRowChanges<Element.ID, Payload>()
        (inverse.removed, inverse.inserted) = (changes.inserted, changes.removed)
        var oldRows = rows
        inverse.sort()
        oldRows.apply(inverse)
        changes.sort()
        // The observer may have read the result of a commit between the two versions.
        let lastVersion = writer.isInTransaction ? writer.committedVersion : observation.version
        let hasMissedCommits = observation.version < lastVersion && !ids.isEmpty
        if hasMissedCommits || definition.isVisible(changes, from: oldRows, to: rows) {
            let transition = Transition(
                from: oldRows,
                to: rows,
                changes,
                of: self,
                hasMissedCommits: hasMissedCommits
            )
            observation.firstChange.withLock { $0 = transition }
        }
    }
}
