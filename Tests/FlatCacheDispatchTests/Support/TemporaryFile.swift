import Foundation

/// A file that a test writes and that goes with the test.
final class TemporaryFile: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Replaces the contents at one instant, so that nobody reads half of them.
    func write(_ contents: String) throws {
        try contents.write(toFile: path, atomically: true, encoding: .utf8)
    }

    func remove() throws { try FileManager.default.removeItem(atPath: path) }
}
