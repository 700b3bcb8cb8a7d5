/// The modification stamp with which a scope stores its entities.
@usableFromInline
struct IngestionStamp: Sendable {
    private let store: @Sendable (any AnyEntityBuffer, CacheBatch, Lease?) -> Void

    @usableFromInline
    init(_ stamp: some Comparable & Sendable) {
        store = { $0.store(in: $1, modifiedAt: stamp, under: $2) }
    }

    func store(_ buffer: any AnyEntityBuffer, in batch: CacheBatch, under lease: Lease?) {
        store(buffer, batch, lease)
    }
}
