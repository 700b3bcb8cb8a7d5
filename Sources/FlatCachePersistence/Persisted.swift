/// A property whose value persists, in step with everybody else who uses the same key.
///
/// ```swift
/// struct Settings: Sendable {
///     @Persisted(key: "theme", userDefaults: .standard) var theme = "light"
///     @Persisted(key: "lastUser", userDefaults: .standard) var lastUser: String?
///     @Persisted(file: draftFile, transformer: JSONTransformer()) var draft = Order()
/// }
/// ```
///
/// The projected value, `$theme`, is the ``Persister``: it tells of changes, changes the value in place
/// and throws errors.
///
/// Setting a value stores it before it returns. If it can't be stored, the error handler and the listeners
/// are told why, and the value is read all the same until something else is stored, or nobody uses the key
/// any more, so that a program and what it shows don't jump back. Where an error is to be handled on the
/// spot, use ``Persister/persist(_:)``.
///
/// An optional without a default is `nil` while nothing is stored, and setting it to `nil` removes what
/// is; one with a default then reads that again.
///
/// What can't be understood is read as the default. Setting the property stores over it, once the storage has
/// kept a copy; see ``CorruptValueKeeping``. What can't be read is not stored over.
///
/// A default value is evaluated when it is first needed, at most once for each wrapper.
///
/// ## Concurrency
/// It may be used on any thread; see ``Persister``. `theme += "!"` reads and writes, and another thread may
/// write in between: `$theme.update { $0 += "!" }` lets none.
///
/// Setting changes nothing in the wrapper itself, so a structure of such properties can be a constant that
/// threads share: `static let settings = Settings()`. A class that is `Sendable` can't have any: the compiler
/// takes each for a variable. Let it have such a structure, or a ``Persister``. In a class that is
/// `@Observable` they need `@ObservationIgnored`; ``Persister/observable`` is what a view observes.
@propertyWrapper
public struct Persisted<Value: Sendable>: Sendable {
    /// What the wrapper reads and writes through.
    public let projectedValue: Persister<Value>

    /// Creates a wrapper of a persister, so that a property shares it.
    ///
    /// - Parameter persister: The persister.
    public init(persister: Persister<Value>) {
        projectedValue = persister
    }

    /// The value that is stored, or the default if there is none or it can't be had.
    @inlinable
    public var wrappedValue: Value {
        get { projectedValue.retrieveValue() }
        nonmutating set { projectedValue.assign(newValue) }
    }
}
