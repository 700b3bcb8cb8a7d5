// These methods keep a result current, under the writers' lock.
extension LiveQuery: ElementQuery {
    var elementType: Any.Type { Element.self }

    var routing: (any AnyIndexCondition<Element>)? {
        definition.indexConditions.first { $0.route != nil }
    }

    func isConcerned(by stored: Element, _ new: Element, _ reading: QueryReaders) -> Bool {
        guard phase == .current else { return true }
        defer { inPlaceChanges.removeAll() }
        let compare = definition.steps.compareValue
        compare(definition, stored, new, true, reading, &inPlaceChanges, &scratch)
        let hasOtherReads = reading.old.takeReads() != reading.new.takeReads()
        return hasOtherReads || !inPlaceChanges.isEmpty
    }

    func collect(_ changes: TableChanges<Element>, in derivation: QueryDerivation) {
        guard phase == .current else { return }
        let reading = derivation.reading
        if definition.usesReader {
            changes.forEachValue { _, id, old, new in
                compare(id, old, new, isValueChanged: true, reading, derivation.deriver)
            }
        } else {
            definition.steps.compare(definition, changes, reading, &self.changes, &scratch)
        }
        recordChange(in: derivation)
    }

    func collectDependents(of key: CacheKey, in derivation: QueryDerivation) {
        guard phase == .current else {
            missedKeys.insert(key)
            return
        }
        compareDependents(of: key, derivation.reading, derivation.deriver)
        recordChange(in: derivation)
    }

    private func recordChange(in derivation: QueryDerivation) {
        if isRecorded || (changes.isEmpty && comparedIDs.isEmpty) { return }
        isRecorded = true
        derivation.recordChange(of: self)
    }

    func derive(_ commit: inout Commit, in derivation: QueryDerivation) {
        let deriver = derivation.deriver
        switch phase {
        case .idle: break
        case _ where holdCount == 0: end(&commit, deriver)
        case .waitingForFirstRun:
            becomeCurrent(&commit, derivation)
        case .current:
            deriver.endWaiting(of: self)
            let mustPin = definition.pinsElements && haveDependentsChanged
            if mustPin || !changes.isEmpty { write(&commit, isFirst: false) }
        }
        haveDependentsChanged = false
        comparedIDs = []
        isRecorded = false
    }

    /// Applies the recorded changes, and writes the state.
    private func write(_ commit: inout Commit, isFirst: Bool) {
        stateCount += 1
        let numbers = (number, stateCount)
        commit.set(
            definition.state(numbers, applying: &changes, to: &rows, dependents, isFirst: isFirst)
        )
    }

    /// Writes the first state: the result of the first run with the changes since then.
    private func becomeCurrent(_ commit: inout Commit, _ derivation: QueryDerivation) {
        let core = commit.core
        let deriver = derivation.deriver
        guard let scan = takeFirstRun(in: core) else { return }
        for follow in scan.types { follow(deriver) }
        for key in scan.dependents.keys { deriver.add(self, asDependentOf: key) }
        rows = scan.rows
        self.dependents = scan.dependents
        phase = .current
        deriver.endWaiting(of: self)
        // The snapshot of the first run is still open, so its values are compared.
        let old = QueryReader(core, at: scan.version, recordsReads: definition.usesReader)
        let reading = QueryReaders(old: old, new: derivation.reading.new)
        for key in missedKeys {
            guard let id = key.id(as: Element.self) else { continue }
            let values = (old.get(id: id, in: table), table.writtenValue(id: id))
            compare(id, values.0, values.1, isValueChanged: true, reading, deriver)
        }
        for key in missedKeys { compareDependents(of: key, reading, deriver) }
        core.clock.closeSnapshot(scan.version)
        mustRunInCommit = false
        write(&commit, isFirst: true)
        endWaitingOfObservations(in: core, sinceFirstRun: missedKeys)
        missedKeys = []
    }

    /// Returns the result of the first run, or runs the query if no thread is running it.
    private func takeFirstRun(in core: CacheCore) -> QueryScan<Element, Payload>? {
        if let scan = firstRun.withLock({ $0.takeResult() }) {
            if scan.version >= recordedSince { return scan }
            core.clock.closeSnapshot(scan.version)
        } else if !mustRunInCommit {
            return nil
        }
        // With a snapshot, this run has the same form as a run of another thread.
        let version = core.clock.openSnapshot()
        return self.scan(in: core, at: version, recordsReads: definition.usesReader)
    }

    /// Removes the state of a result that nothing holds.
    private func end(_ commit: inout Commit, _ deriver: QueryDeriver) {
        deriver.endWaiting(of: self)
        phase = .idle
        if let scan = firstRun.withLock({ $0.reset() }) {
            commit.core.clock.closeSnapshot(scan.version)
        }
        for key in dependents.keys { deriver.remove(self, asDependentOf: key) }
        dependents = [:]
        rows = definition.rows()
        changes = QueryRowChanges()
        for observation in waitingObservations {
            commit.core.clock.closeSnapshot(observation.version)
        }
        (missedKeys, waitingObservations) = ([], [])
        mustRunInCommit = false
        commit.remove(State.self, id: number)
        deriver.remove(self, of: table)
    }
}

// These methods compare a value's rows before and after a commit, under the writers' lock.
extension LiveQuery {
    /// Records the changes of a value's rows, and the entities that they read.
    func compare(
        _ id: Element.ID,
        _ oldValue: Element?,
        _ newValue: Element?,
        isValueChanged: Bool,
        _ reading: QueryReaders,
        _ deriver: QueryDeriver
    ) {
        let compareValue = definition.steps.compareValue
        compareValue(definition, oldValue, newValue, isValueChanged, reading, &changes, &scratch)
        guard definition.usesReader else { return }
        let reads = (reading.old.takeReads(), reading.new.takeReads())
        // Rows that read nothing aren't compared for the entities that they read.
        if reads.0.isEmpty, reads.1.isEmpty { return }
        comparedIDs.insert(id)
        if reads.0 == reads.1 { return }
        haveDependentsChanged = true
        let (oldKeys, newKeys) = (Set(reads.0), Set(reads.1))
        for key in oldKeys.subtracting(newKeys) {
            dependents[key]?.remove(id)
            guard dependents[key]?.isEmpty ?? false else { continue }
            dependents[key] = nil
            deriver.remove(self, asDependentOf: key)
        }
        for key in newKeys.subtracting(oldKeys) {
            if dependents[key] == nil { deriver.add(self, asDependentOf: key) }
            dependents[key, default: []].insert(id)
        }
    }

    /// Records the changes of rows that have read an entity, except rows that have been compared.
    func compareDependents(
        of key: CacheKey,
        _ reading: QueryReaders,
        _ deriver: QueryDeriver
    ) {
        for id in dependents[key] ?? [] where !comparedIDs.contains(id) {
            let values = (reading.old.get(id: id, in: table), table.writtenValue(id: id))
            compare(id, values.0, values.1, isValueChanged: false, reading, deriver)
        }
    }

    func idsOfRows(dependingOn keys: Set<CacheKey>) -> Set<Element.ID> {
        var ids: Set<Element.ID> = []
        for key in keys {
            if let id = key.id(as: Element.self) { ids.insert(id) }
            if let dependents = dependents[key] { ids.formUnion(dependents) }
        }
        return ids
    }
}
