import FlatCachePersistence

/// A class with a persisted property, as clients declare them.
final class PersistedProperty<Value: Sendable>: PropertySubject {
    @Persisted var value: Value

    init(_ value: Persisted<Value>) { _value = value }
}

/// A structure with a persisted property.
///
/// Reading the property counts no references, since it can't be exchanged during the read.
struct PersistedField<Value: Sendable>: PropertySubject {
    @Persisted var value: Value

    init(_ value: Persisted<Value>) { _value = value }
}
