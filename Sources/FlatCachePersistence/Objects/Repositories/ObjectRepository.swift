public import FlatCache
public import Foundation

/// A repository that stores the data of one ``PersistentObject``.
///
/// ```swift
/// import FlatCache
///
/// struct KeychainRepository: ObjectRepository {
///     let key: String
///
///     func loadData() throws -> Data? { try find(key) }
///     func saveData(_ data: Data) throws { try addOrUpdate(data, key) }
///     func removeData() throws { try delete(key) }
///
///     // No other code changes the data.
///     func addUpdateListener(_ updateListener: @escaping @Sendable () -> Void) -> Disposable {
///         Disposable {}
///     }
/// }
///
/// let account = PersistentObject<Account>(repository: KeychainRepository(key: "account"))
/// ```
///
/// The library provides ``FileRepository``, ``UserDefaultsRepository`` and ``StorageRepository``.
/// To store data elsewhere, conform a type of your own.
///
/// ## Concurrency
/// A persistent object never calls two of these methods at the same time, except
/// ``addUpdateListener(_:)`` while data is loaded or saved. The methods must not wait for another
/// thread that uses the object. Two persistent objects with one custom repository don't exclude
/// each other: each treats a save of the other as an external change.
public protocol ObjectRepository: Sendable {
    /// Returns the data that is stored now.
    ///
    /// - Returns: The data, or `nil` if there is none.
    /// - Throws: An error if there may be data that can't be read. Don't return `nil` in that case,
    ///   because `nil` means that there is no data, and the data may then be overwritten.
    func loadData() throws -> Data?

    /// Stores data, and replaces the prior data.
    ///
    /// - Parameter data: The data.
    /// - Throws: An error if the data can't be stored. The prior data must then be unchanged.
    func saveData(_ data: Data) throws

    /// Removes the data, if there is any.
    ///
    /// - Throws: An error if the data can't be removed.
    func removeData() throws

    /// Keeps a copy of corrupt data, so that the original may be overwritten.
    ///
    /// The default implementation always throws, so corrupt data is never overwritten; remove it
    /// with ``removeData()``.
    ///
    /// - Throws: An error if no copy can be kept.
    func keepCorruptData() throws

    /// Synchronizes the data with its remote source, if the repository has one.
    ///
    /// ``PersistentObject/synchronize()`` calls this method on its own thread, and then loads the
    /// data. The default implementation does nothing.
    ///
    /// - Throws: An error if the data can't be synchronized.
    func synchronize() throws

    /// Calls a closure after each change, or possible change, of the data by any writer.
    ///
    /// ## Concurrency
    /// You can call the closure on any thread. It reads the data, and waits for a running save
    /// unless that save itself calls it. Therefore ``saveData(_:)`` must not wait for a call of the
    /// closure on another thread. Don't call the closure before this method has returned.
    ///
    /// - Parameter updateListener: The closure.
    /// - Returns: A token that ends the calls when it is disposed of or deallocated.
    func addUpdateListener(_ updateListener: @escaping @Sendable () -> Void) -> Disposable
}

extension ObjectRepository {
    /// Throws an error, because the repository can't keep a copy.
    ///
    /// - Throws: An error in every case.
    public func keepCorruptData() throws {
        throw StorageFailure.noCopies(without: "keepCorruptData()")
    }

    /// Does nothing.
    public func synchronize() throws {}
}
