public import Foundation

/// A storage that keeps each value in a separate file, with the file's URL as the key.
///
/// ```swift
/// let draft = Persister<Order?>(
///     key: draftFile,
///     storedBy: FileStorage(durability: .durable),
///     transformer: JSONTransformer()
/// )
/// ```
///
/// A write replaces the value in one step. A reader of the file finds either the old contents or
/// the new ones, even if the process ends in the middle of a write. Storing a value creates missing
/// folders. A missing file reads as `nil`; a file that can't be read is an error.
///
/// All file storages of all processes see each other's changes, and those of other programs.
/// Changes by this process are visible at once, others when the system reports them; see
/// ``FileWriteMonitor``.
///
/// ## Links and attributes
/// A write follows a symbolic link and leaves the link in place. If a link on the path of a file is
/// pointed elsewhere, as when a mounted configuration folder changes, a ``Persister`` and a
/// listener follow it: the next write goes to the new target, and reads return its contents when
/// the system reports the change. If one persister uses a link and another one the path of its
/// target, both read one value, so don't point such a link elsewhere.
///
/// A file keeps its permissions and, as far as the process is allowed to set it, its owner. It
/// loses its extended attributes, and other hard links keep the old contents.
///
/// ## Files that can't be replaced
/// The system doesn't replace some files, such as one that is mounted by itself in a container, or
/// one in a read-only folder. A write of such a file throws an error that names the option
/// ``writesInPlaceIfNecessary``. With this option, the storage overwrites the file: a reader can
/// find a part of the new contents, and a process that ends during a write, or a full disk, leaves
/// a mixture of the old and the new contents. Such a file can't be removed.
public struct FileStorage: ChannelledStorage, CorruptValueKeeping {
    /// The events that a file's contents survive.
    public let durability: FileDurability

    /// A Boolean value that indicates whether a file that can't be replaced is written in place.
    public let writesInPlaceIfNecessary: Bool

    /// Creates a storage.
    ///
    /// ```swift
    /// // The file is mounted into a container.
    /// let mounted = FileStorage(writesInPlaceIfNecessary: true)
    /// try mounted.storeValue(Data("{}".utf8), key: settingsFile)
    /// ```
    ///
    /// - Parameters:
    ///   - durability: The events that a file's contents survive. They determine the cost of a
    ///     write.
    ///   - writesInPlaceIfNecessary: `true` to write a file in place if it can't be replaced. Such
    ///     a write isn't atomic.
    public init(
        durability: FileDurability = .synchronized,
        writesInPlaceIfNecessary: Bool = false
    ) {
        self.durability = durability
        self.writesInPlaceIfNecessary = writesInPlaceIfNecessary
    }

    /// The channels of all files, shared by all file storages.
    public var channels: StorageChannels<URL, Data> { FileChannels.shared }

    /// Always `true`: all file storages share their channels, and the system reports other writers.
    public var announcesEveryChange: Bool { true }

    /// Returns the URL of a file with all symbolic links resolved.
    ///
    /// While a persister or a listener uses the URL, the result remains the same, even if a link is
    /// pointed elsewhere.
    ///
    /// - Parameter key: The file's URL.
    public func channelKey(for key: URL) -> URL { FileChannels.key(of: key) }

    /// Writes a file, and creates missing folders.
    ///
    /// ```swift
    /// let note = folder.appendingPathComponent("note.txt")
    /// try FileStorage().storeValue(Data("hello".utf8), key: note)
    /// ```
    ///
    /// An existing file keeps its permissions.
    ///
    /// - Parameters:
    ///   - value: The contents.
    ///   - key: The file's URL.
    /// - Throws: ``PersistenceError``; the file is unchanged then.
    public func storeValue(_ value: Data, key: URL) throws {
        try change(key, to: value, .write) { path in
            do {
                try AtomicFile.write(
                    value,
                    to: path,
                    durability: durability,
                    mayWriteInPlace: writesInPlaceIfNecessary
                )
            } catch var error as FileError where AtomicFile.canOnlyWriteInPlace(path, error) {
                error.advice = "FileStorage(writesInPlaceIfNecessary: true) writes it in place"
                throw error
            }
        }
    }

    /// Removes a file, if there is one.
    ///
    /// - Parameter key: The file's URL.
    /// - Throws: ``PersistenceError`` if the file could not be removed.
    public func removeValue(for key: URL) throws {
        try change(key, to: nil, .remove) { path in
            try AtomicFile.remove(path, durability: durability)
        }
    }

    /// Returns the contents of a file, or `nil` if there is none.
    ///
    /// ```swift
    /// let note = folder.appendingPathComponent("note.txt")
    /// if let data = try FileStorage().retrieveValue(for: note) {
    ///     print(String(decoding: data, as: UTF8.self))
    /// }
    /// ```
    ///
    /// - Parameter key: The file's URL.
    /// - Throws: ``PersistenceError`` if a file exists and can't be read.
    public func retrieveValue(for key: URL) throws -> Data? {
        try explaining(.read, key) {
            let path = try FileChannels.path(of: key)
            return try channels.read(forKey: channelKey(for: key)) { try AtomicFile.read(path) }
        }
    }

    /// Copies a file beside itself, as `<name>.corrupt-<time>`.
    ///
    /// For example, the name of a copy of `settings.json` begins with `settings.json.corrupt-`.
    ///
    /// - Parameter key: The file's URL.
    /// - Throws: ``PersistenceError`` if the file could not be copied.
    public func keepCorruptValue(for key: URL) throws -> String? {
        try explaining(.keepCorrupt, key) {
            try AtomicFile.copyAside(try FileChannels.path(of: key), marker: corruptMarker())
        }
    }

    private func change(
        _ key: URL,
        to value: Data?,
        _ operation: PersistenceError.Operation,
        _ body: (String) throws -> Void
    ) throws {
        try explaining(operation, key) {
            let path = try FileChannels.path(of: key)
            try channels.write(value, forKey: channelKey(for: key)) {
                FileChannels.removeAbandoned(beside: path)
                try body(path)
            }
        }
    }
}

/// Another name for `FileStorage`.
public typealias FileManagerStorage = FileStorage

extension FileStorage: CustomStringConvertible {
    /// The name of the storage in messages.
    public var description: String { "the file system" }
}

/// The events that a file's contents survive.
///
/// ```swift
/// let orders = FileStorage(durability: .durable)  // survives a power loss
/// let thumbnails = FileStorage(durability: .unsynchronized)  // can be made again
/// ```
///
/// Even if a process ends during a write, readers find either the old contents or the new ones,
/// never a part of either. The policies differ in the effect of a power loss, and in the cost of a
/// write.
public enum FileDurability: Hashable, Sendable, CaseIterable {
    /// A write doesn't wait for the medium, so it's fast.
    ///
    /// The system decides when the contents reach the medium, often within half a minute. After a
    /// power loss the file may have the old contents, the new ones, or, on some file systems, none.
    case unsynchronized
    /// After a power loss the file has either the old contents or the new ones, complete.
    ///
    /// A write waits for `fsync` to put the contents on the medium before they replace the old
    /// ones, like Foundation's atomic writing. On Apple's systems the write waits for a barrier,
    /// `F_BARRIERFSYNC`, because drives reorder writes there.
    case synchronized
    /// After a write returns, its contents survive a power loss.
    ///
    /// A write also waits until the folder's entry is on the medium, and the entries of the folders
    /// that it created: two calls of `fsync` or more; on Apple's systems of `F_FULLFSYNC`.
    case durable
}
