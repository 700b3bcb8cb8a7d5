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

    /// Returns the identifiers of the rows that depend on some entities.
    func idsOfRows(dependingOn keys: Set<CacheKey>) -> Set<Element.ID> {
        var ids: Set<Element.ID> = []
        for key in keys {
            if let id = key.id(as: Element.self) { ids.insert(id) }
            if let dependents = dependents[key] { ids.formUnion(dependents) }
        }
        return ids
    }
}

extension QueryReader {
    /// Returns a value without recording the read.
    func get<Value: Identifiable & Sendable>(
        id: Value.ID,
        in table: Table<Value>
    ) -> Value? where Value.ID: Sendable {
        guard let version else { return table.writtenValue(id: id) }
        return table.value(id: id, hash: table.hash(of: id), at: version)
    }
}
