/// The entities of one type that a scope has collected, with their modification stamp.
struct StampedEntities {
    let buffer: any AnyEntityBuffer
    let stamp: IngestionStamp?
    /// For each entity, `true` if it was nested in another one; `nil` if no type requires whole
    /// values, or no entity was nested.
    let nested: [Bool]?

    var count: Int { buffer.count }

    /// Stores the entities, as the answer of a load if there's a lease.
    func store(in batch: CacheBatch, under lease: Lease?) {
        if let nested { buffer.removeShortForms(nested, in: batch) }
        if let stamp {
            stamp.store(buffer, in: batch, under: lease)
        } else {
            buffer.store(in: batch, under: lease)
        }
    }
}
