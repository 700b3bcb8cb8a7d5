import Foundation
import Synchronization

/// A folder for files that are measured, which goes with the object, or with the process if that is
/// earlier.
final class ScratchFolder: Sendable {
    /// Where the folder is.
    let url: URL

    /// Creates a folder that is empty, below the one that `TMPDIR` names.
    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("FlatCache-benchmarks-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        Leftovers.add(url)
    }

    deinit { Leftovers.remove(url) }

    /// The URL of a file in the folder.
    func file(_ name: String) -> URL { url.appendingPathComponent(name, isDirectory: false) }
}

/// Files and folders that must not outlive the process.
enum Leftovers {
    private static let urls = Mutex<Set<URL>>([])

    // Once: a child whose parent has gone ends in the middle of what it does.
    private static let removesAtExit: Void = {
        atexit { Leftovers.removeAll() }
    }()

    /// Removes a file or folder at the end of the process, unless it is removed before.
    static func add(_ url: URL) {
        removesAtExit
        _ = urls.withLock { $0.insert(url) }
    }

    /// Removes a file or folder, which need not be there.
    static func remove(_ url: URL) {
        try? FileManager.default.removeItem(at: url)
        _ = urls.withLock { $0.remove(url) }
    }

    private static func removeAll() {
        for url in urls.withLock({ $0 }) { remove(url) }
    }
}
