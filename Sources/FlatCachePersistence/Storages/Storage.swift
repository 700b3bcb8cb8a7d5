public import FlatCache

/// Where bytes or property-list values live, each under a key.
///
/// A custom storage is one conformance.
public protocol Storage<Key, Value>: Sendable {
    /// What tells one value from another.
    associatedtype Key: Hashable & Sendable

    /// What the storage holds.
    associatedtype Value: Sendable

    /// Stores a value in the place of the one that is there.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Its key.
    /// - Throws: If the value could not be stored; what was there is still there then.
    func storeValue(_ value: Value, key: Key) throws

    /// Removes a value, if there is one.
    ///
    /// - Parameter key: The value's key.
    /// - Throws: If it could not be removed; it is still there then.
    func removeValue(for key: Key) throws

    /// Returns the value that is stored now.
    ///
    /// - Parameter key: The value's key.
    /// - Returns: The value, or `nil` if there is none.
    /// - Throws: If there may be a value that cannot be read.
    func retrieveValue(for key: Key) throws -> Value?

    /// Calls a closure after each change of a value, with what is stored then, or `nil` if it has been
    /// removed.
    ///
    /// ## Concurrency
    /// The closure is called in the order of the writes, one call at a time, under no lock: it may read,
    /// write and remove the value. By the time that a write returns it has been called, unless it is
    /// being called already, further up the stack or on another thread; then it is called once more when
    /// that call has returned.
    ///
    /// - Parameters:
    ///   - key: The value's key.
    ///   - updateListener: The closure.
    /// - Returns: A token: when it is disposed of or goes, no new call starts.
    func addUpdateListener(
        forKey key: Key,
        updateListener: @escaping @Sendable (Value?) -> Void
    ) -> Disposable

    /// `true` if the storage calls its listeners for every change of its values.
    ///
    /// If it is `true`, a ``Persister`` remembers a value until its listener is called. The storage
    /// then calls listeners before the call that changed a value in this process returns: this
    /// storage's methods, those of other storages of the same place, and its own methods beyond
    /// those of `Storage`, such as one that removes everything. It calls them for a change by
    /// another process as soon as it learns of it.
    ///
    /// If it is `false`, as it is unless the storage says otherwise, each read through a persister
    /// or a property asks ``retrieveValue(for:)``.
    var announcesEveryChange: Bool { get }
}

extension Storage {
    /// No: each read asks the storage.
    public var announcesEveryChange: Bool { false }
}
