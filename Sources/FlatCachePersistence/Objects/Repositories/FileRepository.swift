public import FlatCache
public import Foundation

/// A file as the place of a ``PersistentObject``.
public struct FileRepository: ObjectRepository {
    /// The file.
    public let file: URL

    /// What the file's contents survive once they have been written.
    public let durability: FileDurability

    /// Creates a repository in a file, which need not exist yet.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - durability: What its contents survive once they have been written.
    public init(file: URL, durability: FileDurability = .synchronized) {
        self.file = file
        self.durability = durability
    }

    /// Creates a repository in a file of the folder for this program's objects.
    ///
    /// - Parameters:
    ///   - filename: The file's name, or its path in ``objectFolder``. Not empty, not absolute, and
    ///     with no "..".
    ///   - durability: What the file's contents survive once they have been written.
    public init(filename: String, durability: FileDurability = .synchronized) {
        self.init(
            file: ObjectFolder.file(named: filename, in: Self.objectFolder),
            durability: durability
        )
    }

    /// The folder for this program's objects.
    ///
    /// It is a folder with the name of the bundle's identifier, or if there is none of the process:
    /// on Apple's systems in the Application Support folder; elsewhere in `$XDG_DATA_HOME` or, if
    /// that is not set to an absolute path, in `$HOME/.local/share`. It is created when something is
    /// first saved.
    public static var objectFolder: URL { ObjectFolder.current }

    private var place: StorageRepository<FileStorage> {
        StorageRepository(key: file, storedBy: FileStorage(durability: durability))
    }

    /// Returns the file's contents, or `nil` if there is no file.
    ///
    /// - Throws: ``PersistenceError`` if there is something that can't be read.
    public func loadData() throws -> Data? { try place.loadData() }

    /// Writes the file, in one step.
    ///
    /// - Parameter data: The contents.
    /// - Throws: ``PersistenceError``; the file is as it was.
    public func saveData(_ data: Data) throws { try place.saveData(data) }

    /// Removes the file, if there is one.
    ///
    /// - Throws: ``PersistenceError`` if it could not be removed.
    public func removeData() throws { try place.removeData() }

    /// Copies the file beside itself, as `<name>.corrupt-<time>`.
    ///
    /// - Throws: ``PersistenceError`` if it could not be copied.
    public func keepCorruptData() throws { try place.keepCorruptData() }

    /// Calls a closure after the file has changed; changes by other processes may coalesce.
    ///
    /// - Parameter updateListener: The closure; see
    ///   ``Storage/addUpdateListener(forKey:updateListener:)``.
    /// - Returns: A token that ends it.
    public func addUpdateListener(
        _ updateListener: @escaping @Sendable () -> Void
    ) -> Disposable {
        place.addUpdateListener(updateListener)
    }
}

extension FileRepository: PlacedRepository {
    func makePlace() -> any ObjectPlace { place.makePlace() }
}

extension FileRepository: CustomStringConvertible {
    /// What the repository is called in messages.
    public var description: String { file.path }
}
