public import Foundation
import FlatCache

/// Keeps each value in a file of its own; the key is the file's URL.
///
/// A value is replaced in one step: whoever reads the file, and whatever happens to the process in the
/// middle of a write, finds the old contents or the new ones. Folders that are missing are created when a
/// value is stored. A missing file is `nil`; one that can't be read is an error.
///
/// All file storages of all processes, and whoever else changes a file, see each other's changes: those in
/// this process at once, the others when the system tells of them; see ``FileWriteMonitor``.
///
/// A symbolic link is followed, and stays. Where it leads is found out when a ``Persister`` is made, which
/// uses that place from then on. A file keeps its permissions and, as far as the process may say so, its
/// owner; extended attributes and other hard links stay with the old contents.
public struct FileStorage: ChannelledStorage, CorruptValueKeeping {
    /// What the contents of a file survive.
    public let durability: FileDurability

    /// Creates a storage.
    ///
    /// - Parameter durability: What contents survive, and what a write costs.
    public init(durability: FileDurability = .synchronized) {
        self.durability = durability
    }

    /// The channels of all files, whatever storage they are used through.
    public var channels: StorageChannels<URL, Data> { FileChannels.shared }

    /// Always `true`: all storages of files share their channels, and the system reports other
    /// writers.
    public var announcesEveryChange: Bool { true }

    /// Returns the URL of the place where a file really is, whatever links lead to it.
    ///
    /// - Parameter key: The file's URL.
    public func channelKey(for key: URL) -> URL { FileChannels.place(of: key) }

    /// Writes a file, and the folders that are missing.
    ///
    /// The file keeps its permissions.
    ///
    /// - Parameters:
    ///   - value: The contents.
    ///   - key: The file's URL.
    /// - Throws: ``PersistenceError``; the file is as it was.
    public func storeValue(_ value: Data, key: URL) throws {
        try change(key, to: value, .write) { path in
            try AtomicFile.write(value, to: path, durability: durability)
        }
    }

    /// Removes a file, if there is one.
    ///
    /// - Parameter key: The file's URL.
    /// - Throws: ``PersistenceError`` if it could not be removed.
    public func removeValue(for key: URL) throws {
        try change(key, to: nil, .remove) { path in
            try AtomicFile.remove(path, durability: durability)
        }
    }

    /// Returns the contents of a file, or `nil` if there is none.
    ///
    /// - Parameter key: The file's URL.
    /// - Throws: ``PersistenceError`` if there is something that can't be read.
    public func retrieveValue(for key: URL) throws -> Data? {
        try explaining(.read, key) {
            let path = try FileChannels.path(of: key)
            return try channels.read(forKey: channelKey(for: key)) { try AtomicFile.read(path) }
        }
    }

    /// Copies a file beside itself, as `<name>.corrupt-<time>`.
    ///
    /// - Parameter key: The file's URL.
    /// - Throws: ``PersistenceError`` if it could not be copied.
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
                FileChannels.removeAbandoned(besides: path)
                try body(path)
            }
        }
    }
}

/// The name that `FileStorage` has for those who know it as that.
public typealias FileManagerStorage = FileStorage

extension FileStorage: CustomStringConvertible {
    /// What the storage is called in messages.
    public var description: String { "the file system" }
}
