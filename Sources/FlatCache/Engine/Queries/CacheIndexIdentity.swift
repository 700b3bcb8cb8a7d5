/// The identity of an index in a cache.
struct CacheIndexIdentity: Hashable, Sendable {
    private let entityType: ObjectIdentifier
    private let keyType: ObjectIdentifier
    private let name: String

    init(_ entityType: Any.Type, _ keyType: Any.Type, _ name: String) {
        self.entityType = ObjectIdentifier(entityType)
        self.keyType = ObjectIdentifier(keyType)
        self.name = name
    }
}
