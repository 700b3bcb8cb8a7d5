import FlatCache

/// Where the values of a persister live, whatever form they have there.
protocol PersistedPlace<Value>: Sendable {
    associatedtype Value: Sendable

    var version: VersionWord { get }

    /// `true` if every change is announced, with a new version.
    var isAnnounced: Bool { get }

    /// The check of the known value, if that is the way in which it is proved to be current.
    var check: ValueCheck? { get }

    /// `true` if the value that is read could not be stored yet.
    var isUnsaved: Bool { get }

    /// Compares the known value with the stored one, unless every change is announced, and tries
    /// again to store an unsaved value.
    ///
    /// - Throws: If the storage could not be read.
    func refresh() throws(PersistenceError)

    /// What counts now, and its version.
    ///
    /// - Throws: If the storage could not be read.
    func load() throws(PersistenceError) -> (content: PersistedContent<Value>, version: Int)

    /// What counts now, asking the storage although it may be known: somebody else may just have changed it.
    ///
    /// - Throws: If the storage could not be read.
    func reload() throws(PersistenceError) -> PersistedContent<Value>

    /// Stores a value, or, where it stands for none, removes what is there.
    func store(_ value: Value) throws(PersistenceError)

    /// Stores a value; if it can't be stored it is read all the same, until something else is.
    ///
    /// It may have been made of the default that was read in the place of what is there. So what can't be
    /// read now is not overwritten: it may be all right.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - keepingCorrupt: Whether what is there may be something that can't be understood, of which a copy
    ///     is kept first if the storage can.
    /// - Throws: Why it could not be stored. Either everybody reads it, and listeners have been told why,
    ///   or both are left to the caller.
    func storeOrKeep(_ value: Value, keepingCorrupt: Bool) throws(UnsavedValue)

    func remove() throws(PersistenceError)

    /// Has the storage keep a copy of what is there.
    func keepCorrupt() throws(PersistenceError)

    func exclusively<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result

    /// Tells listeners of an error.
    func report(_ error: PersistenceError)

    func listen(
        delivery: CacheDelivery,
        _ receive: @escaping @Sendable (PersistedEvent<Value>) -> Void
    ) -> Disposable
}

/// What lies in a place.
enum PersistedContent<Value: Sendable>: Sendable {
    case value(Value)
    case absent
    /// Something that can't be understood.
    case corrupt(PersistenceError)
}

/// What a place tells its listeners.
enum PersistedEvent<Value: Sendable>: Sendable {
    case changed(PersistedContent<Value>, version: Int)
    case failed(any Error)
}

/// Says that a value could not be stored.
struct UnsavedValue: Error {
    let reason: PersistenceError
    /// Whether everybody reads it all the same.
    let isKept: Bool
}
