import FlatCachePersistence

/// A class with a persisted property, as clients have them.
final class PersistedProperty<Value: Sendable>: PropertySubject {
    @Persisted var value: Value

    init(_ value: Persisted<Value>) { _value = value }
}

/// A structure with a persisted property.
///
/// Reading it counts no references: nobody can exchange the
/// property meanwhile.
struct PersistedField<Value: Sendable>: PropertySubject {
    @Persisted var value: Value

    init(_ value: Persisted<Value>) { _value = value }
}
