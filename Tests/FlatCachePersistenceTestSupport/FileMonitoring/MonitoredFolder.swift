import Foundation
import TestSupport

/// A folder of one test in which other processes work, and which is deleted with the object.
final class MonitoredFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "monitored-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ path: String) -> URL { url.appending(path: path, directoryHint: .notDirectory) }

    func write(_ contents: String, to path: String) throws {
        try Data(contents.utf8).write(to: file(path))
    }

    /// Runs commands in the folder in another process, and waits for its end.
    func shell(_ commands: String) async throws {
        let folder = url.path
        let status = try await onOwnThread {
            try ChildProcess("/bin/sh", ["-e", "-c", "cd \"$0\"\n\(commands)", folder]).wait()
        }
        guard status == 0 else { throw ShellFailure(commands: commands, status: status) }
    }

    struct ShellFailure: Error {
        var commands: String
        var status: Int32
    }
}
