public import FlatCache
public import Foundation

/// A repository that stores the data of a ``PersistentObject`` in a file.
///
/// ```swift
/// let draft = PersistentObject<Order>(
///     repository: FileRepository(file: draftFile, durability: .durable)
/// )
/// ```
public struct FileRepository: ObjectRepository {
    /// The file.
    public let file: URL

    /// The durability of the file's contents after a write.
    public let durability: FileDurability

    /// Creates a repository in a file that need not exist yet.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - durability: The durability of the file's contents after a write.
    public init(file: URL, durability: FileDurability = .synchronized) {
        self.file = file
        self.durability = durability
    }

    /// Creates a repository in a file of the program's object folder.
    ///
    /// For example, `Drafts/order.json` is a file in the folder `Drafts` of the object folder.
    ///
    /// - Parameters:
    ///   - filename: The file's name, or its relative path in ``objectFolder``. It must not be
    ///     empty or contain empty components, "." or "..".
    ///   - durability: The durability of the file's contents after a write.
    public init(filename: String, durability: FileDurability = .synchronized) {
        self.init(
            file: ObjectFolder.file(named: filename, in: Self.objectFolder),
            durability: durability
        )
    }

    /// The folder for this program's objects.
    ///
    /// The folder's name is the bundle's identifier or, without one, the name of the process. It
    /// lies in the Application Support folder on Apple's systems, and elsewhere in `$XDG_DATA_HOME`
    /// or, if that isn't set to an absolute path, in `$HOME/.local/share`. The first save creates
    /// the folder.
    public static var objectFolder: URL { ObjectFolder.current }

    private var repository: StorageRepository<FileStorage> {
        StorageRepository(key: file, storedBy: FileStorage(durability: durability))
    }

    /// Returns the file's contents, or `nil` if there is no file.
    ///
    /// - Throws: ``PersistenceError`` if the file exists but can't be read.
    public func loadData() throws -> Data? { try repository.loadData() }

    /// Writes the file atomically.
    ///
    /// - Parameter data: The contents.
    /// - Throws: ``PersistenceError`` if the file can't be written. The prior file is then
    ///   unchanged.
    public func saveData(_ data: Data) throws { try repository.saveData(data) }

    /// Removes the file, if there is one.
    ///
    /// - Throws: ``PersistenceError`` if the file can't be removed.
    public func removeData() throws { try repository.removeData() }

    /// Copies the file to `<name>.corrupt-<time>` in the same folder.
    ///
    /// - Throws: ``PersistenceError`` if the file can't be copied.
    public func keepCorruptData() throws { try repository.keepCorruptData() }

    /// Calls a closure after the file has changed; changes by other processes may coalesce.
    ///
    /// - Parameter updateListener: The closure; see
    ///   ``Storage/addUpdateListener(forKey:updateListener:)``.
    /// - Returns: A token that ends the calls when it is disposed of or deallocated.
    public func addUpdateListener(
        _ updateListener: @escaping @Sendable () -> Void
    ) -> Disposable {
        repository.addUpdateListener(updateListener)
    }
}

extension FileRepository: StorageBackedRepository {
    func makeAccess() -> any ValueAccess<ObjectContent> { repository.makeAccess() }
}

extension FileRepository: CustomStringConvertible {
    /// The repository's name in messages.
    public var description: String { file.path }
}
