/// The entities of one type that a scope has collected, with their modification stamp.
struct StampedEntities {
    let buffer: any AnyEntityBuffer
    let stamp: IngestionStamp?

    var count: Int { buffer.count }

    /// Stores the entities, as the answer of a load if there's a lease.
    func store(in batch: CacheBatch, under lease: Lease?) {
        if let stamp {
            stamp.store(buffer, in: batch, under: lease)
        } else {
            buffer.store(in: batch, under: lease)
        }
    }
}
