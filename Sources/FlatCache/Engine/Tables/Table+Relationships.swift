// Everything here is called under the writers' lock.
extension Table {
    var hasRelationships: Bool { traits.relatedCacheKeys != nil }

    func relatedCacheKeys(
        of entry: EntryID,
        at version: UInt64,
        in writer: Writer
    ) -> Set<CacheKey> {
        guard let relatedCacheKeys = traits.relatedCacheKeys,
            let value = self[entry].pointee.value(at: version)
        else { return [] }
        return writer.runUserCode("relatedCacheKeys", of: Value.self) { relatedCacheKeys(value) }
    }

    func listedCacheKeys(of entry: EntryID, at version: UInt64) -> [CacheKey]? {
        guard let listedCacheKeys = traits.listedCacheKeys else { return nil }
        return self[entry].pointee.value(at: version).map(listedCacheKeys) ?? []
    }
}
