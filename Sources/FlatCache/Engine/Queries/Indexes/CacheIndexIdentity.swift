/// The identity of an index in a cache.
enum CacheIndexIdentity: Hashable, Sendable {
    /// The identity of an index that a client has named.
    case named(entityType: ObjectIdentifier, keyType: ObjectIdentifier, String)
    /// The identity of the index of a type's entities by their identifiers, which is the table.
    case identifiers(entityType: ObjectIdentifier)
}
