import Foundation

/// A temporary folder that is removed with its instance.
final class TemporaryFolder: Sendable {
    let url: URL

    /// Creates a folder with files of given names and contents.
    init(_ files: [String: String] = [:]) throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "BookshopTests-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for (name, contents) in files {
            try write(contents, to: name)
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    var path: String { url.path(percentEncoded: false) }

    /// Writes a file in place, as an editor might.
    func write(_ contents: String, to name: String) throws {
        try Data(contents.utf8).write(to: url.appending(path: name))
    }

    func contents(of name: String) throws -> String {
        try String(contentsOf: url.appending(path: name), encoding: .utf8)
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(at: url.appending(path: name))
    }

    /// Creates a folder inside this one.
    func addFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            at: url.appending(path: name),
            withIntermediateDirectories: false
        )
    }
}
