#if os(Linux)
import Foundation

/// A file system in memory with a limited size, which only the superuser of Linux can create.
final class SmallFileSystem: Sendable {
    private let folder: TemporaryFolder

    var file: URL { folder.file("graph.sqlite") }

    /// Mounts a file system.
    ///
    /// - Throws: An error if the process may not mount one.
    init(kilobytes: Int) throws {
        folder = try TemporaryFolder()
        try Self.mountFolder(path, "size=\(kilobytes)k")
    }

    // A connection to the file may be closed a moment later.
    deinit { umount2(path, Int32(MNT_DETACH)) }

    private var path: String { folder.url.path }

    /// Changes the options of the file system, such as its size.
    func remount(_ options: String = "", isReadOnly: Bool = false) throws {
        let flags = MS_REMOUNT | (isReadOnly ? MS_RDONLY : 0)
        try Self.mountFolder(path, options, flags: UInt(flags))
    }

    /// A Boolean value that indicates whether the process can mount file systems.
    static let isAvailable = (try? SmallFileSystem(kilobytes: 100)) != nil

    private static func mountFolder(_ path: String, _ options: String, flags: UInt = 0) throws {
        guard mount("tmpfs", path, "tmpfs", flags, options) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
        }
    }
}
#endif
