import Foundation
import TestSupport

/// The folder that contains the package, with the sources of these tests.
struct Checkout {
    let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The names at the top level, hidden ones included.
    func names(in path: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path)
    }

    func contains(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: path).path)
    }

    func text(of path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    func lines(of path: String) throws -> [Substring] {
        let text = try text(of: path)
        // A line break ends the last line.
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }

    /// Returns the paths of all Swift files in a folder, except those that a build has put there.
    func swiftFiles(in path: String = "") throws -> [String] {
        try names(in: path).sorted().flatMap { name -> [String] in
            let isBuilt = [".build", ".git", ".swiftpm"].contains(name)
            let path = path.isEmpty ? name : "\(path)/\(name)"
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(
                atPath: folder.appending(path: path).path,
                isDirectory: &isFolder
            )
            if !exists || isBuilt { return [] }
            if isFolder.boolValue { return try swiftFiles(in: path) }
            return name.hasSuffix(".swift") ? [path] : []
        }
    }

    /// Returns the tracked files that match patterns, or `nil` if the folder is no clone.
    func trackedFiles(_ patterns: String...) throws -> [String]? {
        guard contains(".git") else { return nil }
        // By default, Git refuses a folder that another user owns, as in a container.
        let git = try ChildProcess(
            "/usr/bin/env",
            ["git", "-c", "safe.directory=\(folder.path)", "-C", folder.path, "ls-files", "--"]
                + patterns
        )
        let data = git.outputToEnd()
        guard git.wait() == 0 else { return nil }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
