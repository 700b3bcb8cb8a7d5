import Foundation

/// A file system in memory with a limited size, which only the superuser of Linux can create.
final class SmallFileSystem {
    private let folder: TemporaryFolder

    var file: URL { folder.file("graph.sqlite") }

    /// Mounts a file system.
    ///
    /// - Throws: An error if the process may not mount one.
    init(kilobytes: Int) throws {
        folder = try TemporaryFolder()
        try Self.mount(["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", path])
    }

    // A connection to the file may be closed a moment later.
    deinit { try? Self.run("/bin/umount", ["--lazy", path]) }

    private var path: String { folder.url.path }

    /// Changes the options of the file system, such as its size.
    func remount(_ options: String) throws {
        try Self.mount(["-o", "remount,\(options)", path])
    }

    /// A Boolean value that indicates whether the process can mount file systems.
    static let isAvailable = (try? SmallFileSystem(kilobytes: 100)) != nil

    private static func mount(_ arguments: [String]) throws { try run("/bin/mount", arguments) }

    private struct Failure: Error {
        let command: String
    }

    private static func run(_ command: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(command: "\(command) \(arguments)")
        }
    }
}
