import Foundation

/// A temporary file that is removed with its instance.
final class TemporaryFile: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Replaces the contents atomically, so that readers never see half of them.
    func write(_ contents: String) throws {
        try contents.write(toFile: path, atomically: true, encoding: .utf8)
    }

    func remove() throws { try FileManager.default.removeItem(atPath: path) }
}
