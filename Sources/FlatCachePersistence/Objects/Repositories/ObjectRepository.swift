public import FlatCache
public import Foundation

/// Where the data of one ``PersistentObject`` lives.
///
/// A custom one is one conformance. ``FileRepository``, ``UserDefaultsRepository`` and
/// ``StorageRepository`` are there already.
///
/// ## Concurrency
/// An object never calls two of these methods at the same time, save for
/// ``addUpdateListener(_:)`` while data is loaded or saved. What they call must not wait for
/// another thread that uses the object. Two objects with one custom repository take no turns: each
/// of them sees what the other has saved as a change from outside.
public protocol ObjectRepository: Sendable {
    /// Returns the data that is stored now.
    ///
    /// - Returns: The data, or `nil` if there is none.
    /// - Throws: If there may be data that cannot be read. Never return `nil` then: it is taken for
    ///   "nothing there", and may be overwritten.
    func loadData() throws -> Data?

    /// Stores data in the place of what is there.
    ///
    /// - Parameter data: The data.
    /// - Throws: If it could not be stored; what was there is still there then.
    func saveData(_ data: Data) throws

    /// Removes the data, if there is any.
    ///
    /// - Throws: If it could not be removed.
    func removeData() throws

    /// Keeps a copy of the data, which could not be understood, so that it may be overwritten.
    ///
    /// Unless a repository says otherwise it keeps none. Then data that could not be understood is
    /// never overwritten; remove it with ``removeData()``.
    ///
    /// - Throws: If it could not be kept.
    func keepCorruptData() throws

    /// Exchanges what is stored with where it comes from, if that is something to be done.
    ///
    /// Unless a repository says otherwise there is nothing to do.
    ///
    /// - Throws: If it could not be exchanged.
    func synchronize() throws

    /// Calls a closure after the data has been changed, by whomever, or may have been.
    ///
    /// ## Concurrency
    /// The closure may be called on any thread. It reads the data, and waits for a save that is
    /// going on, unless it is called by that save itself; so don't wait for it in
    /// ``saveData(_:)`` on another thread, and don't call it before this has returned.
    ///
    /// - Parameter updateListener: The closure.
    /// - Returns: A token: when it is disposed of or goes, no new call starts.
    func addUpdateListener(_ updateListener: @escaping @Sendable () -> Void) -> Disposable
}

extension ObjectRepository {
    /// Keeps nothing.
    ///
    /// - Throws: Always.
    public func keepCorruptData() throws { throw NoPlaceToKeep(asked: "keepCorruptData()") }

    /// Does nothing.
    public func synchronize() throws {}
}
