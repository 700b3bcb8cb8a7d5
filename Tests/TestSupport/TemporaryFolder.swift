package import Foundation

/// A folder of one test, which is deleted with the object.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        // The real path, so that tests can compare it with reported paths.
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "FlatCache-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // Folders that a test has made unwritable can't be deleted otherwise.
        for case let path as String in FileManager.default.enumerator(atPath: url.path) ?? .init() {
            chmod(url.appending(path: path).path, 0o700)
        }
        chmod(url.path, 0o700)
        try? FileManager.default.removeItem(at: url)
    }

    /// Returns the URL of a file in the folder, which need not exist.
    package func file(_ name: String) -> URL {
        url.appending(path: name, directoryHint: .notDirectory)
    }

    /// The sorted names of all entries in the folder, hidden ones included.
    package var contents: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}
