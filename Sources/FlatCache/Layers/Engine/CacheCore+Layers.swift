/// The number of entities for each hash that layers change, for some bits of the hash.
///
/// A counting Bloom filter with one hash function (Fan et al., "Summary Cache", 2000). It grows
/// with the number of the entities, so that one of eight other entities at most is mistaken for
/// one of them.
@usableFromInline
final class CoveredHashes {
    @usableFromInline var counts = [UInt32](repeating: 0, count: 64)
    private var total = 0

    @inlinable @inline(__always)
    func mayContain(_ hash: UInt32) -> Bool {
        counts[Int(truncatingIfNeeded: hash) & (counts.count &- 1)] != 0
    }

    /// Adds or removes a hash.
    ///
    /// - Parameter hashes: A closure that returns all hashes if the filter must grow.
    func change(_ hash: UInt32, by difference: Int, _ hashes: () -> [UInt32]) {
        total += difference
        if total * 8 > counts.count {
            counts = [UInt32](repeating: 0, count: counts.count * 4)
            for hash in hashes() { counts[index(of: hash)] += 1 }
        } else {
            let index = index(of: hash)
            counts[index] = UInt32(Int(counts[index]) + difference)
        }
    }

    private func index(of hash: UInt32) -> Int {
        Int(truncatingIfNeeded: hash) & (counts.count - 1)
    }
}

extension CacheCore {
    /// Prepares a write to an entity of a type that has an owner or layers.
    @usableFromInline @inline(never)
    func prepareToWrite<Value: Identifiable & Sendable>(
        to id: Value.ID,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        checkOwner(of: table)
        table.uncover(id)
    }

    /// Prepares a write to all entities of a type that has an owner or layers.
    @usableFromInline @inline(never)
    func prepareToWriteAll<Value: Identifiable & Sendable>(in table: Table<Value>)
    where Value.ID: Sendable {
        checkOwner(of: table)
        table.layers?.uncoverAll()
    }

    /// Traps if a participant alone may write the values of a type.
    @usableFromInline @inline(never)
    func trapIfOwned<Value: Identifiable & Sendable>(_ table: Table<Value>)
    where Value.ID: Sendable {
        if table.owner != nil { trapOwned(table) }
    }

    /// Puts the visible values of the entities that the open transaction has written into their
    /// entries.
    func coverLayers() { for layers in writer.layers { layers.cover() } }

    /// Returns the layers of a type, creating them for the first layer.
    func layers<Value: Identifiable & Sendable>(
        of type: Value.Type
    ) -> TableLayers where Value.ID: Sendable {
        let table = tables.table(of: type)
        if let layers = table.layers { return layers }
        let layers = TableLayers(table, self)
        table.layers = layers
        return layers
    }
}

extension Table {
    func isCovered(_ entry: EntryID) -> Bool { isCovered(self[entry]) }

    /// Returns whether layers change the entity of an entry.
    @inlinable @inline(__always)
    func isCovered(_ entry: Segment<Value>.Pointer) -> Bool {
        guard let coveredHashes, coveredHashes.mayContain(entry.pointee.hash) else { return false }
        return isCovered(id: entry.pointee.id)
    }

    @usableFromInline @inline(never)
    func isCovered(id: Value.ID) -> Bool { coveredEntity(id)?.isCovered ?? false }

    /// Returns whether the open transaction has changed an entity by layers alone.
    ///
    /// Such a change renews no time, and outdates no load that runs.
    func isWrittenByLayersAlone(_ entry: EntryID) -> Bool {
        guard layers != nil, let entity = coveredEntity(self[entry].pointee.id) else {
            return false
        }
        return entity.isConcerned && !entity.state.isConfirmedWritten
    }

    /// Returns whether an entity has a value, but no confirmed one.
    func isInLayersAlone(_ entry: EntryID) -> Bool {
        isCovered(entry) && hasValue(entry) && confirmedValue(of: entry) == nil
    }

    /// The confirmed value of an entry, with the writes of the open transaction so far.
    func confirmedValue(of entry: EntryID) -> Value? {
        isCovered(entry)
            ? writtenConfirmedValue(id: self[entry].pointee.id) : self[entry].pointee.value
    }

    /// Removes an entry without a value from the table, unless it has a confirmed value.
    ///
    /// The journal refers to the entry of an entity that only a layer has removed.
    func detachUnlessCovered(_ entry: EntryID, in writer: Writer) {
        if layers != nil, isCovered(entry) { return }
        detach(entry, in: writer)
    }

    /// Puts the confirmed value of an entity into its entry, before a write that depends on it.
    @usableFromInline
    func uncover(_ id: Value.ID) {
        if let entity = coveredEntity(id) { layers?.uncover(entity) }
    }

    func uncover(_ key: CacheKey) {
        if let layers, let entity = layers.entities[key] { layers.uncover(entity) }
    }

    @usableFromInline @inline(never)
    func recordConfirmedWrite(to entry: EntryID) {
        guard let layers, !layers.isPutting else { return }
        if let entity = coveredEntity(self[entry].pointee.id) {
            layers.recordConfirmedWrite(to: entity)
        }
    }
}
