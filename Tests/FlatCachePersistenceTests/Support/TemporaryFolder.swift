import Foundation

/// A folder of a test's own, which goes with the test.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        // Where it really is, so that what is told of it can be compared.
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "FlatCache-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // Folders that a test has made unwritable would stay.
        for case let path as String in FileManager.default.enumerator(atPath: url.path) ?? .init() {
            chmod(url.appending(path: path).path, 0o700)
        }
        chmod(url.path, 0o700)
        try? FileManager.default.removeItem(at: url)
    }

    /// The URL of a file in the folder, be it there or not.
    func file(_ name: String) -> URL { url.appending(path: name, directoryHint: .notDirectory) }

    /// The names of what is in the folder, hidden files included, sorted.
    var contents: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}
