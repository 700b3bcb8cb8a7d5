public import Foundation

/// A type that stands for a storage where a persister or a property needs one.
///
/// ```swift
/// let theme = Persister(key: "theme", storedBy: UserDefaults.standard, defaultValue: "light")
/// let note = Persister<String?>(key: "note", storedBy: storage)
/// ```
///
/// Each ``Storage`` stands for itself, and a `UserDefaults` object for the storage of its domain.
public protocol StorageConvertible {
    /// The type of the storage.
    associatedtype ConvertedStorage: Storage

    /// Returns the storage.
    func makeStorage() -> ConvertedStorage
}

extension Storage where ConvertedStorage == Self {
    /// Returns the storage itself.
    public func makeStorage() -> ConvertedStorage { self }
}

extension UserDefaults: StorageConvertible {
    /// Returns the storage of the object's domain.
    public func makeStorage() -> UserDefaultsStorage { UserDefaultsStorage(self) }
}
