public import FlatCache

/// One typed value of a ``KeyValueStorage``.
///
/// ```swift
/// extension UserDefaultsStorage {
///     var theme: KeyValueContainer<Theme> { makeContainer(defaultValue: .light) }
/// }
///
/// let defaults = UserDefaultsStorage()
/// defaults.theme.value = .dark
/// ```
///
/// The method `makeContainer` of a ``KeyValueStorage`` creates a container. A computed property
/// creates a new one at each access. That's cheap. All containers and persisters of one key read
/// the same value.
///
/// A new container accesses the storage and decodes the value at its first read. If you read a
/// value very often, keep the container or its ``persister``: they decode the value only after a
/// change.
///
/// ## Concurrency
/// A container may be used on any thread; see ``Persister``. `theme.value += "!"` reads and then
/// writes, and another thread may write in between. `theme.update { $0 += "!" }` prevents this.
public struct KeyValueContainer<Value: Sendable>: Sendable {
    /// The storage that created the container.
    public let storage: any KeyValueStorage

    /// The key, without the storage's prefix.
    public let key: String

    /// The key in the storage, with the prefix.
    ///
    /// For example, it's `settings.volume` for the key `volume` of a storage with the prefix
    /// `settings.`.
    public let storedKey: String

    /// The persister that the container reads and writes through.
    public let persister: Persister<Value>

    /// The value that reads return if no value is stored.
    public var defaultValue: Value { persister.defaultValue() }

    /// The stored value, or the default if there is none or it can't be read or decoded.
    ///
    /// The storage's error handler receives the errors of reads and writes. If a value can't be
    /// stored, reads return it nevertheless, and later reads try again to store it. In a storage
    /// that doesn't announce its changes, it's kept only as long as the container. A value that
    /// can't be encoded isn't set.
    ///
    /// Setting an optional to `nil` removes the stored value.
    ///
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public var value: Value {
        get { persister.retrieveValue() }
        nonmutating set { persister.assign(newValue) }
    }

    /// Returns the stored value, or the default if there is none.
    ///
    /// - Throws: ``PersistenceError`` if the value can't be read or decoded.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func retrieveValueOrThrow() throws(PersistenceError) -> Value {
        try persister.retrieveValueOrThrow()
    }

    /// Stores a value.
    ///
    /// ```swift
    /// extension UserDefaultsStorage {
    ///     var theme: KeyValueContainer<Theme> { makeContainer(defaultValue: .light) }
    /// }
    ///
    /// try UserDefaultsStorage().theme.persist(.dark)
    /// ```
    ///
    /// - Parameter value: The value. If it is an optional, `nil` removes the stored value.
    /// - Throws: ``PersistenceError`` if the value could not be stored. The old value is then still
    ///   stored.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func persist(_ value: Value) throws(PersistenceError) {
        try persister.persist(value)
    }

    /// Removes the stored value, so that reads return the default.
    ///
    /// - Throws: ``PersistenceError`` if it could not be removed.
    public func removeValue() throws(PersistenceError) { try persister.removeValue() }
}

extension KeyValueContainer {
    /// Changes the value in place; see ``Persister/update(_:)``.
    ///
    /// ```swift
    /// extension UserDefaultsStorage {
    ///     var visits: KeyValueContainer<Int> { makeContainer(defaultValue: 0) }
    /// }
    ///
    /// try UserDefaultsStorage().visits.update { $0 += 1 }
    /// ```
    ///
    /// - Parameter body: A closure that changes the value.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or ``PersistenceError``. The stored value is then
    ///   unchanged.
    @discardableResult
    public func update<Result>(_ body: (inout Value) throws -> Result) throws -> Result {
        try persister.update(body)
    }
}

/// A container is a source like its ``persister``. For an update that excludes other processes,
/// call a method of the persister.
///
/// ```swift
/// extension UserDefaultsStorage {
///     var visits: KeyValueContainer<Int> { makeContainer(defaultValue: 0) }
/// }
///
/// let visits = UserDefaultsStorage().visits
/// let observation = visits.observe { print($0) }
/// visits.value = 1  // prints 1
/// try await visits.persister.updateShared { $0 += 1 }  // prints 2
/// ```
extension KeyValueContainer: CacheSource {
    /// The ``value``.
    public var state: Value { value }

    /// Calls a closure after each change and each error.
    public func _observe(
        initial: Bool,
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (StateNotification<Value>) -> Void
    ) -> Disposable {
        persister._observe(initial: initial, delivery: delivery, receive)
    }

    /// Calls a closure with each change and each error.
    public func _observeChanges(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (Persister<Value>.Change) -> Void
    ) -> Disposable {
        persister._observeChanges(delivery: delivery, receive)
    }
}
