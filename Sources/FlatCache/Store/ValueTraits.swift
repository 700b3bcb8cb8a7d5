/// The capabilities of a value's type beyond `Identifiable`, determined once per type.
@usableFromInline
struct ValueTraits<Value: Identifiable & Sendable>: @unchecked Sendable {
    // All properties are constant and need no guard; the closures capture only the conformance that
    // they call.

    /// Combines a stored value with an incoming one, if the type is `Mergeable`.
    @usableFromInline let merge: ((_ existing: Value, _ incoming: Value) -> Value)?
    /// Returns whether an incoming value is older than a stored one, if the type is `Versioned`.
    @usableFromInline let isOutdated: ((_ incoming: Value, _ existing: Value) -> Bool)?
    /// Compares two values, if the type is `Equatable`.
    @usableFromInline let isEqual: ((Value, Value) -> Bool)?
    /// Returns the keys that a value refers to, if the type is `HasCachedRelationships`.
    @usableFromInline let relatedCacheKeys: ((Value) -> Set<CacheKey>)?
    /// Returns the keys that a list refers to.
    @usableFromInline let listedCacheKeys: ((Value) -> [CacheKey])?
    /// Returns the keys that a value owns, if the type is `OwnsCachedValues`.
    @usableFromInline let ownedCacheKeys: ((Value) -> Set<CacheKey>)?
    /// Returns the keys that a list or an alias pins.
    @usableFromInline let pinnedKeys: ((Value) -> Set<CacheKey>)?

    /// `true` if a new value is merged with the stored one, or compared with it by a version.
    @inlinable var combinesValues: Bool { merge != nil || isOutdated != nil }

    @inlinable
    init() {
        checkEntityType(Value.self)
        if let type = Value.self as? any Mergeable.Type {
            merge = Self.merge(type)
        } else {
            merge = nil
        }
        if let type = Value.self as? any Versioned.Type {
            isOutdated = Self.isOutdated(type)
        } else {
            isOutdated = nil
        }
        if ConformanceProbe<Value>.findsEquatable, let type = Value.self as? any Equatable.Type {
            isEqual = Self.isEqual(type)
        } else {
            isEqual = nil
        }
        if let type = Value.self as? any HasCachedRelationships.Type {
            relatedCacheKeys = Self.relatedCacheKeys(type)
        } else {
            relatedCacheKeys = nil
        }
        if let type = Value.self as? any ListsRelatedKeys.Type {
            listedCacheKeys = Self.listedCacheKeys(type)
        } else {
            listedCacheKeys = nil
        }
        if let type = Value.self as? any OwnsCachedValues.Type {
            ownedCacheKeys = Self.ownedCacheKeys(type)
        } else {
            ownedCacheKeys = nil
        }
        if let type = Value.self as? any PinsEntities.Type {
            pinnedKeys = Self.pinnedKeys(type)
        } else {
            pinnedKeys = nil
        }
    }

    // In each of the following functions, the opened type is `Value` itself, because it was cast
    // from the metatype of `Value`. So values of the two types have the same bits.

    @inlinable
    static func merge<Found: Mergeable>(_: Found.Type) -> (Value, Value) -> Value {
        { existing, incoming in
            let merged = unsafeBitCast(existing, to: Found.self)
                .merged(with: unsafeBitCast(incoming, to: Found.self))
            return unsafeBitCast(merged, to: Value.self)
        }
    }

    @inlinable
    static func isOutdated<Found: Versioned>(_: Found.Type) -> (Value, Value) -> Bool {
        let version = Found.versionKeyPath
        return { incoming, existing in
            Found.isVersion(
                unsafeBitCast(incoming, to: Found.self)[keyPath: version],
                olderThan: unsafeBitCast(existing, to: Found.self)[keyPath: version]
            )
        }
    }

    @inlinable
    static func isEqual<Found: Equatable>(_: Found.Type) -> (Value, Value) -> Bool {
        { unsafeBitCast($0, to: Found.self) == unsafeBitCast($1, to: Found.self) }
    }

    @inlinable
    static func relatedCacheKeys<Found: HasCachedRelationships>(
        _: Found.Type
    ) -> (Value) -> Set<CacheKey> {
        { unsafeBitCast($0, to: Found.self).relatedCacheKeys }
    }

    @inlinable
    static func listedCacheKeys<Found: ListsRelatedKeys>(_: Found.Type) -> (Value) -> [CacheKey] {
        { unsafeBitCast($0, to: Found.self).listedCacheKeys }
    }

    @inlinable
    static func ownedCacheKeys<Found: OwnsCachedValues>(_: Found.Type) -> (Value) -> Set<CacheKey> {
        { unsafeBitCast($0, to: Found.self).ownedCacheKeys }
    }

    @inlinable
    static func pinnedKeys<Found: PinsEntities>(_: Found.Type) -> (Value) -> Set<CacheKey> {
        { unsafeBitCast($0, to: Found.self).pinnedCacheKeys }
    }
}

/// Traps if a type is that of a handle or a list.
@usableFromInline @inline(never)
func checkEntityType(_ type: Any.Type) {
    precondition(
        !(type is any EntityReference.Type),
        """
        \(type) is used as a value of the cache. Observe a handle or a list through itself: \
        handle.observe { … }. Store values through it: handle.value = …, list.replace(with: …).
        """
    )
}

/// A probe that finds out whether a type has a conformance that any thread may use.
///
/// A cast to a metatype such as `any Equatable.Type` also succeeds for a conformance that is
/// isolated to an actor, on every thread. Using its witness elsewhere is a data race, or traps. A
/// cast to a protocol that refines `Sendable` never uses an isolated conformance, neither directly
/// nor to satisfy a condition (SE-0470, "Global-actor isolated conformances"). So the probe
/// conforms to such a protocol on the condition that the type has the conformance, and the cast is
/// applied to the probe.
///
/// The library's own protocols refine `Sendable`, and the compiler rejects an isolated conformance
/// to them.
@usableFromInline
struct ConformanceProbe<Value>: Sendable {
    /// `true` if values can be compared on any thread.
    @usableFromInline static var findsEquatable: Bool { Self() is any EquatableProbe }

    /// `true` if values can be decoded on any thread.
    @usableFromInline static var findsDecodable: Bool { Self() is any DecodableProbe }

    /// `true` if values can be ordered on any thread.
    @usableFromInline static var findsComparable: Bool { Self() is any ComparableProbe }
}

private protocol EquatableProbe: Sendable {}

extension ConformanceProbe: EquatableProbe where Value: Equatable {}

private protocol DecodableProbe: Sendable {}

extension ConformanceProbe: DecodableProbe where Value: Decodable {}

private protocol ComparableProbe: Sendable {}

extension ConformanceProbe: ComparableProbe where Value: Comparable {}
