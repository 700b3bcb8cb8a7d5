import Foundation
import Synchronization

/// A folder for measured files that is removed with the object, or at the end of the process.
final class ScratchFolder: Sendable {
    /// The URL of the folder.
    let url: URL

    /// Creates an empty folder in the folder that `TMPDIR` names.
    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("FlatCache-benchmarks-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        Leftovers.add(url)
    }

    deinit { Leftovers.remove(url) }

    /// Returns the URL of a file in the folder.
    func file(_ name: String) -> URL { url.appendingPathComponent(name, isDirectory: false) }
}

/// Files and folders to remove at the end of the process.
enum Leftovers {
    private static let urls = Mutex<Set<URL>>([])

    // Registers the handler once. It also runs in a child process that ends because its parent has
    // ended.
    private static let removesAtExit: Void = {
        atexit { Leftovers.removeAll() }
    }()

    /// Removes a file or folder at the end of the process, unless it is removed before.
    static func add(_ url: URL) {
        removesAtExit
        _ = urls.withLock { $0.insert(url) }
    }

    /// Removes a file or folder, which need not exist.
    static func remove(_ url: URL) {
        try? FileManager.default.removeItem(at: url)
        _ = urls.withLock { $0.remove(url) }
    }

    private static func removeAll() {
        for url in urls.withLock({ $0 }) { remove(url) }
    }
}
