/// The entities of one type that a scope has collected, with their modification stamp.
struct StampedEntities {
    let buffer: any AnyEntityBuffer
    let stamp: IngestionStamp?

    var count: Int { buffer.count }

    func store(in batch: CacheBatch) {
        if let stamp {
            stamp.store(buffer, in: batch)
        } else {
            buffer.store(in: batch)
        }
    }
}
