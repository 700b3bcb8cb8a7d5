public import Foundation

/// A type that stands for a storage where a persister or a property needs one.
///
/// Each ``Storage`` stands for itself, a `UserDefaults` object for the storage of its domain, and
/// the URL of a file for a ``FileStorage``.
public protocol StorageConvertible {
    /// The type of the storage.
    associatedtype ConvertedStorage: Storage

    /// The type of the argument that selects a value: the storage's type of keys, or `Void` for a
    /// type that stands for a single value, such as the URL of a file.
    associatedtype KeyArgument = ConvertedStorage.Key

    /// Returns the storage.
    func makeStorage() -> ConvertedStorage

    /// Returns the key of a value in the storage.
    ///
    /// - Parameter argument: The argument that selects the value.
    func storageKey(for argument: KeyArgument) -> ConvertedStorage.Key
}

extension StorageConvertible where KeyArgument == ConvertedStorage.Key {
    /// Returns the argument.
    ///
    /// - Parameter argument: The key.
    public func storageKey(for argument: KeyArgument) -> ConvertedStorage.Key { argument }
}

extension Storage where ConvertedStorage == Self {
    /// Returns the storage itself.
    public func makeStorage() -> ConvertedStorage { self }
}

extension UserDefaults: StorageConvertible {
    /// Returns the storage of the object's domain.
    public func makeStorage() -> UserDefaultsStorage { UserDefaultsStorage(self) }
}

extension URL: StorageConvertible {
    /// Returns a storage of files.
    public func makeStorage() -> FileStorage { FileStorage() }

    /// Returns the URL.
    ///
    /// - Parameter argument: Nothing, since the URL selects the file.
    public func storageKey(for argument: Void) -> URL { self }
}
