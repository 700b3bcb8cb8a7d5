/// What a value's type can do beyond being identifiable, found once per type.
struct ValueTraits<Value: Identifiable & Sendable>: @unchecked Sendable {
    // Immutable; the closures hold nothing but the metatype of the conformance that they call.

    /// Combines a stored value with an incoming one, if the type is `Mergeable`.
    let merge: ((_ existing: Value, _ incoming: Value) -> Value)?
    /// Compares two values, if the type is `Equatable`.
    let isEqual: ((Value, Value) -> Bool)?
    /// Lists what a value refers to, if the type is `HasCachedRelationships`.
    let relatedCacheKeys: ((Value) -> Set<CacheKey>)?

    init() {
        if let type = Value.self as? any Mergeable.Type {
            merge = Self.merge(type)
        } else {
            merge = nil
        }
        if let type = Value.self as? any Equatable.Type {
            isEqual = Self.isEqual(type)
        } else {
            isEqual = nil
        }
        if let type = Value.self as? any HasCachedRelationships.Type {
            relatedCacheKeys = Self.relatedCacheKeys(type)
        } else {
            relatedCacheKeys = nil
        }
    }

    // In each of the following, the opened type is `Value` itself, since it was cast from its
    // metatype; so the bits of the one are those of the other.

    private static func merge<Found: Mergeable>(
        _: Found.Type
    ) -> (Value, Value) -> Value {
        { existing, incoming in
            let merged = unsafeBitCast(existing, to: Found.self)
                .merged(with: unsafeBitCast(incoming, to: Found.self))
            return unsafeBitCast(merged, to: Value.self)
        }
    }

    private static func isEqual<Found: Equatable>(
        _: Found.Type
    ) -> (Value, Value) -> Bool {
        { unsafeBitCast($0, to: Found.self) == unsafeBitCast($1, to: Found.self) }
    }

    private static func relatedCacheKeys<Found: HasCachedRelationships>(
        _: Found.Type
    ) -> (Value) -> Set<CacheKey> {
        { unsafeBitCast($0, to: Found.self).relatedCacheKeys }
    }
}
