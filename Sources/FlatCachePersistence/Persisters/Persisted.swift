/// A property whose value persists under a key of a storage.
///
/// ```swift
/// struct Settings: Sendable {
///     @Persisted(key: "theme") var theme = "light"
///     @Persisted(key: "lastUser") var lastUser: String?
///     @Persisted(file: draftFile, transformer: JSONTransformer()) var draft = Order()
/// }
/// ```
///
/// All properties and persisters of a key share its value. The projected value, `$theme`, is the
/// ``Persister``: it notifies listeners of changes, changes the value in place and throws errors.
///
/// Setting the property stores the value before the setter returns. If the value can't be stored,
/// the error handler and the listeners receive the error, and the property still returns the new
/// value, so that a program and its interface don't jump back. Later reads try again to store it,
/// on the reading thread. The unsaved value lasts until it or another value is stored; in a storage
/// that isn't a ``ChannelledStorage``, it ends with the last property, persister and listener of
/// the key. To handle an error where it occurs, call ``Persister/persist(_:)``.
///
/// If another process holds the lock of the user defaults' folder, a setter waits for ten
/// milliseconds at most. Then the error handler receives an error, and another thread stores the
/// value later.
///
/// A value without a stored form, such as an infinite number in JSON, isn't set. The error handler
/// and the listeners receive an error with the operation ``PersistenceError/Operation/transform``,
/// and all properties of the key return the prior value.
///
/// An optional property without a default is `nil` while nothing is stored, and setting it to `nil`
/// removes the stored value. An optional property with a default then returns its default again.
///
/// If the stored value is corrupt, the property returns its default. Setting the property
/// replaces the corrupt value: a ``CorruptValueKeeping`` storage first keeps a copy, and
/// if it can't, the corrupt value isn't overwritten. Other storages keep no copy. A value that
/// can't be read isn't overwritten.
///
/// The wrapper evaluates its default at most once, when it's first needed.
///
/// ## Concurrency
/// You can use the property on any thread; see ``Persister``. `theme += "!"` is a read and a write,
/// and another thread may write between the two. To exclude other writes, call
/// `$theme.update { $0 += "!" }`.
///
/// The setter is nonmutating, so a structure of such properties can be a constant that threads
/// share: `static let settings = Settings()`. A `Sendable` class can't have such a property,
/// because the compiler treats the wrapper as a mutable variable. Store such a structure or a
/// ``Persister`` in the class instead. In an `@Observable` class, mark the property
/// `@ObservationIgnored`; a view observes its `observable`.
@propertyWrapper
public struct Persisted<Value: Sendable>: Sendable {
    /// The persister that the wrapper reads and writes through.
    ///
    /// ```swift
    /// try settings.$theme.persist("dark")  // throws if the theme can't be stored
    /// ```
    public let projectedValue: Persister<Value>

    /// Creates a property that shares a persister.
    ///
    /// ```swift
    /// struct Settings {
    ///     @Persisted var theme: String
    ///
    ///     init(theme: Persister<String>) { _theme = Persisted(persister: theme) }
    /// }
    /// ```
    ///
    /// - Parameter persister: The persister.
    public init(persister: Persister<Value>) {
        projectedValue = persister
    }

    /// The stored value, or the default if no value is stored, or if the stored value is corrupt or
    /// can't be read.
    @inlinable
    public var wrappedValue: Value {
        get { projectedValue.retrieveValue() }
        nonmutating set { projectedValue.assign(newValue) }
    }
}

/// The cases in which a read stores the default; by default, none.
///
/// ```swift
/// let device = Persister(
///     key: "device",
///     defaultValue: UUID().uuidString,
///     defaultValuePersistBehaviour: .persistWhenNil
/// )
/// ```
///
/// If a default could not be stored, the next read tries again. If the attempt took long, the next
/// attempt waits for ten times its duration.
public struct DefaultValuePersistBehaviour: OptionSet, Hashable, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Stores the default value at its first use, if no value is stored.
    public static let persistWhenNil = Self(rawValue: 1 << 0)

    /// Stores the default value at its first use, if the stored value is corrupt.
    ///
    /// The storage keeps a copy of the corrupt value, see ``CorruptValueKeeping``; if it can't keep
    /// a copy, the value isn't overwritten. A value that can't be *read* is never overwritten,
    /// because it may be intact.
    public static let persistOnError = Self(rawValue: 1 << 1)

    /// Stores the default value in both cases.
    public static let all: Self = [.persistWhenNil, .persistOnError]
}
