@testable import FlatCache
@testable import FlatCacheTestSupport

extension CacheSubject {
    var version: UInt64 { cache.version }

    // Reads the graph without the writers' lock, whose release would complete unfinished work. Only
    // one thread uses the subject.
    var watchedCount: Int { cache.core.writer.graph.count }

    func checkInvariants() { cache.core.checkInvariants() }

    func listings() -> [ModelListing] { listings(of: cache) }

    func batchListings() -> [ModelListing]? { innermostBatch.map { listings(of: $0) } }

    func snapshotStates() -> [(version: UInt64, listings: [ModelListing])] {
        snapshots.map { ($0.version, listings(of: $0)) }
    }

    func handleValues() -> [ModelKey: ModelRecord] {
        var values: [ModelKey: ModelRecord] = [:]
        for key in keys { values[key] = handle(of: key).record }
        return values
    }

    private func listings(of cache: some ReadableCache) -> [ModelListing] {
        ModelKey.Kind.allCases.map { listing(of: $0.entity, in: cache) }
    }

    private func listing<Entity: ModelEntity>(
        of type: Entity.Type,
        in cache: some ReadableCache
    ) -> ModelListing {
        let ids = cache.ids(of: type).map { type.key($0) }
        let values = cache.values(of: type)
        let uniqueIDs = Set(ids)
        var valuesByKey: [ModelKey: ModelRecord] = [:]
        for value in values { valuesByKey[value.record.key] = value.record }
        var found: [ModelKey: ModelRecord] = [:]
        for key in keys where key.kind == type.kind {
            found[key] = cache.get(type, id: type.id(key.number))?.record
        }
        return ModelListing(
            kind: type.kind,
            count: cache.count(of: type),
            ids: uniqueIDs,
            values: valuesByKey,
            found: found,
            hasDuplicates: uniqueIDs.count != ids.count || valuesByKey.count != values.count
        )
    }
}
