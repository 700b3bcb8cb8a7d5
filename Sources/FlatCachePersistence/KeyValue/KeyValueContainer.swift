public import FlatCache

/// One typed value of a ``KeyValueStorage``.
///
/// It is made by the `makeContainer` of a ``KeyValueStorage``, anew at each access if it is a computed
/// property: it is cheap, and what it says does not depend on anybody keeping it. All containers and
/// persisters of one key agree.
///
/// Each read asks the storage and decodes the value. Where a value is read very often keep its
/// ``persister``, which does so only after a change.
///
/// ## Concurrency
/// It may be used on any thread; see ``Persister``. `theme.value += "!"` reads and writes, and
/// another thread may write in between: `theme.update { $0 += "!" }` lets none.
public struct KeyValueContainer<Value: Sendable>: Sendable {
    /// The storage that the container was made by.
    public let storage: any KeyValueStorage

    /// The key, without the storage's prefix.
    public let key: String

    private let cell: any KeyValueCell<Value>

    init(storage: any KeyValueStorage, key: String, cell: some KeyValueCell<Value>) {
        self.storage = storage
        self.key = key
        self.cell = cell
    }

    /// The key under which the value lies in the storage, with the prefix.
    public var storedKey: String { cell.storedKey }

    /// What is read while nothing is stored.
    public var defaultValue: Value { cell.defaultValue() }

    /// The value that is stored, or the default if there is none or it can't be had.
    ///
    /// Why it can't be had, or stored, is told to the storage's error handler. What can't be stored
    /// is read all the same, until the process ends or something else is stored.
    ///
    /// Setting an optional to `nil` removes what is stored.
    ///
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public var value: Value {
        get { cell.read() }
        nonmutating set { cell.assign(newValue) }
    }

    /// Returns the value that is stored, or the default if there is none.
    ///
    /// - Throws: ``PersistenceError`` if the value can't be read or understood.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func retrieveValueOrThrow() throws -> Value { try cell.readOrThrow() }

    /// Stores a value.
    ///
    /// - Parameter value: The value; `nil` removes what is stored, if it is an optional.
    /// - Throws: ``PersistenceError`` if it could not be stored; what was there is still there
    ///   then.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public func persist(_ value: Value) throws { try cell.store(value) }

    /// Removes the value, so that the default is read.
    ///
    /// - Throws: ``PersistenceError`` if it could not be removed.
    public func removeValue() throws { try cell.remove() }
}

extension KeyValueContainer {
    /// A persister of the value, made anew each time.
    ///
    /// Keep it where a value is read very often: it decodes the value only after a change.
    public var persister: Persister<Value> { cell.makePersister() }

    /// Changes the value in place; see ``Persister/update(_:)``.
    ///
    /// - Parameter body: Changes the value.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, or ``PersistenceError``; nothing has changed then.
    @discardableResult
    public func update<Result>(_ body: (inout Value) throws -> Result) throws -> Result {
        try persister.update(body)
    }

    /// Calls a closure after each change of the value, by whomever, and with errors that nobody can
    /// be thrown to.
    ///
    /// ## Concurrency
    /// See ``Persister/addUpdateListener(delivery:_:)``.
    ///
    /// - Parameters:
    ///   - delivery: Where and when the closure is called.
    ///   - updateListener: The closure.
    /// - Returns: A token: when it is disposed of or goes, no new call starts. The container need
    ///   not be kept.
    public func addUpdateListener(
        delivery: CacheDelivery = .inline,
        _ updateListener:
            @escaping @Sendable (Result<Persister<Value>.Update, any Error>) -> Void
    ) -> Disposable {
        persister.addUpdateListener(delivery: delivery, updateListener)
    }

    /// The values for a consumer that awaits them; see ``Persister/values``.
    public var values: CacheSequence<Value> { persister.values }

    /// The changes for a consumer that awaits them; see ``Persister/updates``.
    public var updates: CacheSequence<Result<Persister<Value>.Update, any Error>> {
        persister.updates
    }

    /// The value for the Observation framework, made anew each time: keep it; see
    /// ``Persister/observable``.
    public var observable: ObservablePersister<Value> { persister.observable }
}
