/// A type that accesses one typed value of a storage: a ``Persister`` or a ``Persisted`` property.
///
/// The initializers of both types are declared in extensions of this protocol and of ``Persisted``.
/// The first arguments name the location of the value:
///
/// | arguments | location |
/// | --- | --- |
/// | `key:` | a key of the standard user defaults |
/// | `key:userDefaults:` | a key of other user defaults |
/// | `key:storedBy:` | a key of a ``Storage``, or of a type that converts to one |
/// | `file:` | a file |
///
/// With `transformer:`, the storage holds another form of the value. An initializer for optional
/// values needs no default, and its transformer converts the values that aren't `nil`.
///
/// Only ``Persister`` and ``Persisted`` conform; don't conform your own types.
public protocol Persisting<Value> {
    /// The type of the value.
    associatedtype Value: Sendable

    /// Returns an instance that accesses the value through a persister.
    ///
    /// - Parameter persister: The persister.
    static func accessing(through persister: Persister<Value>) -> Self
}

extension Persister: Persisting {
    /// Returns the persister.
    ///
    /// - Parameter persister: The persister.
    public static func accessing(through persister: Persister<Value>) -> Persister<Value> {
        persister
    }
}

extension Persisted: Persisting {
    /// Returns a property that shares a persister.
    ///
    /// - Parameter persister: The persister.
    public static func accessing(through persister: Persister<Value>) -> Persisted<Value> {
        Persisted(persister: persister)
    }
}

extension Persisting {
    /// Creates an instance for a key.
    ///
    /// The initializers in this folder call this one.
    init(
        _ key: PersistenceKey<Value>,
        _ defaultValue: @escaping @Sendable () -> Value,
        _ behaviour: DefaultValuePersistBehaviour,
        _ errorHandler: PersistenceErrorHandler?
    ) {
        let persister = Persister(
            key.access,
            defaultValue: DefaultValue(name: key.name, defaultValue),
            behaviour: behaviour,
            onError: errorHandler
        )
        self = .accessing(through: persister)
    }
}
