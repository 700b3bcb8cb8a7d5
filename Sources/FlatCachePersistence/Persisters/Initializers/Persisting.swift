public import Foundation

/// A type that accesses one typed value of a storage: a ``Persister`` or a ``Persisted`` property.
///
/// An initializer of either type states three things: the location of the value, its default, and
/// its stored form. The first arguments name the location:
///
/// | arguments | location |
/// | --- | --- |
/// | `key:` | a key of the standard user defaults |
/// | `key:userDefaults:` | a key of the given user defaults |
/// | `key:storedBy:` | a key of a ``Storage``, or of a type that converts to one |
/// | `file:` | a file |
///
/// Each location takes a default in one of these ways:
///
/// | default | available for |
/// | --- | --- |
/// | `= value`, after the declaration | a ``Persisted`` property |
/// | `defaultValue:` | a property or a ``Persister`` |
/// | none | an optional value: reads return `nil` while no value is stored |
///
/// A default is evaluated at most once, when it's first needed. It may store a value under the same
/// key, but must not read or remove the value.
///
/// Each combination exists with and without `transformer:`. Without it, the value has the type that
/// the location holds: `Data` in a file, and any ``PropertyListRepresentable`` type in user
/// defaults or another storage of property lists. With it, the location holds the output of the
/// transformer. For an optional value, the transformer converts the values that aren't `nil`.
///
/// Only ``Persister`` and ``Persisted`` conform; don't conform your own types.
///
/// ## Concurrency
/// The thread that first needs a default evaluates it, under no lock of the key. Other threads that
/// need this default wait until it's evaluated. A default that reads its own value while none is
/// stored needs itself and traps. Don't let two defaults read each other's values: two threads
/// would wait for each other.
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
    /// Creates an instance that accesses the value of a key of a storage.
    ///
    /// Each public initializer calls this one.
    init<Base: Storage>(
        _ key: Base.Key,
        in storage: Base,
        as form: StoredForm<Value, Base.Value>,
        _ defaultValue: @escaping @Sendable () -> Value,
        _ behaviour: DefaultValuePersistBehaviour,
        _ errorHandler: PersistenceErrorHandler?
    ) {
        let persister = Persister(
            KeyAccess(storage, key, as: form),
            behaviour: behaviour,
            onError: errorHandler,
            defaultValue: defaultValue
        )
        self = .accessing(through: persister)
    }

    /// Creates an instance that accesses a property-list value.
    ///
    /// If `storage` is `UserDefaults.standard`, the default in each initializer, `userDefaults`
    /// hold the value.
    init<Source: StorageConvertible>(
        _ key: String,
        _ userDefaults: UserDefaults,
        _ storage: Source,
        as form: StoredForm<Value, PropertyListValue>,
        _ defaultValue: @escaping @Sendable () -> Value,
        _ behaviour: DefaultValuePersistBehaviour,
        _ errorHandler: PersistenceErrorHandler?
    ) where Source.ConvertedStorage: Storage<String, PropertyListValue> {
        if (storage as? UserDefaults) === UserDefaults.standard {
            let storage = userDefaults.makeStorage()
            self.init(key, in: storage, as: form, defaultValue, behaviour, errorHandler)
        } else {
            precondition(
                userDefaults === UserDefaults.standard,
                "A value has one storage. Pass either 'userDefaults:' or 'storedBy:', not both."
            )
            let storage = storage.makeStorage()
            self.init(key, in: storage, as: form, defaultValue, behaviour, errorHandler)
        }
    }

    /// The initializer of a call that lacks a default or a transformer.
    ///
    /// Without it, the compiler reports a mismatch with an optional type, or no reason at all. The
    /// compiler can't tell the two causes apart, so the message names a condition for each remedy.
    @available(
        *,
        unavailable,
        message: """
            if the value isn't optional and has no default, add '= value' to the property, or \
            'defaultValue: value' to the arguments; if the storage can't hold values of this type, \
            add 'transformer: JSONTransformer()', or 'RawRepresentableTransformer()' for raw values
            """
    )
    public init<Source: StorageConvertible>(
        wrappedValue: @autoclosure () -> Value = missing,
        file: URL = URL(filePath: ""),
        key: Source.ConvertedStorage.Key? = nil,
        userDefaults: UserDefaults = .standard,
        storedBy storage: Source = UserDefaults.standard,
        transformer: (any Transformer<Value, Data>)? = nil,
        defaultValue: @autoclosure () -> Value = missing,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) { preconditionFailure("An initializer that is not available has been called.") }

    @usableFromInline
    static var missing: Value { preconditionFailure("The value lacks a default.") }
}
