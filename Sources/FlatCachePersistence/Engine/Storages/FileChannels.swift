import FlatCache
import Foundation

/// The channels of all files that this process uses.
enum FileChannels {
    static let shared = StorageChannels<URL, Data>(areEqual: ==) { url, channels in
        watch(url, channels)
    }

    /// Begins to watch a file, and passes changes from outside to the channels.
    private static func watch(
        _ url: URL,
        _ channels: StorageChannels<URL, Data>
    ) -> Disposable? {
        // Reads and writes of such a URL throw an error.
        guard isFile(url) else { return nil }
        let monitor = FileWriteMonitor(url: url) { [weak channels] _ in
            check(url, channels)
        }
        return Disposable { monitor.cancel() }
    }

    private static func check(_ key: URL, _ channels: StorageChannels<URL, Data>?) {
        channels?.checkForExternalChange(forKey: key) {
            try AtomicFile.read(paths.withLock { $0.path(of: key) } ?? key.path)
        }
    }

    private static let paths = Locked(FilePaths())

    /// Returns the key of the channel of a file.
    static func key(of url: URL) -> URL {
        let key = isFile(url) ? paths.withLock { $0.key(of: path(ofFile: url)) } : nil
        return key ?? resolvedURL(of: url)
    }

    /// Begins to use a file by a path.
    ///
    /// The path's links are followed when they are pointed elsewhere.
    ///
    /// - Returns: The key of the file's channel, and a token that ends the use.
    static func follow(_ url: URL) -> (key: URL, token: Disposable) {
        guard isFile(url) else { return (url, Disposable {}) }
        let path = path(ofFile: url)
        let resolved = resolvedURL(of: url)
        let key = paths.withLock { $0.beginUse(of: path, resolved) }
        var monitor: FileWriteMonitor?
        if self.path(ofFile: key) != path {
            monitor = FileWriteMonitor(url: url) { [weak channels = shared] _ in
                check(key, channels)
            }
        }
        return (
            key,
            Disposable { [monitor] in
                monitor?.cancel()
                paths.withLock { $0.endUse(of: path) }
            }
        )
    }

    static func path(of url: URL) throws -> String {
        if isFile(url) { return path(ofFile: url) }
        throw StorageFailure(
            "\(url.absoluteString) isn't a file: "
                + (url.isFileURL
                    ? "its path contains a zero byte"
                    : "create the URL with URL(fileURLWithPath:)")
        )
    }

    /// Returns whether a URL has a valid file path: the system truncates a path at a zero byte.
    private static func isFile(_ url: URL) -> Bool {
        url.isFileURL && !path(ofFile: url).utf8.contains(0)
    }

    /// Returns the path unchanged.
    ///
    /// Resolving `..` textually would give another file if the path passes through a link.
    private static func path(ofFile url: URL) -> String {
        url.absoluteURL.path(percentEncoded: false)
    }

    /// Returns the URL of a file with all symbolic links resolved, the same for all paths to the
    /// file.
    ///
    /// The missing components of a path are appended unchanged.
    static func resolvedURL(of url: URL) -> URL {
        guard isFile(url) else { return url }
        var path = path(ofFile: url)
        var rest: [String] = []
        // If links form a cycle, reads and writes of the file throw an error.
        var linksLeft = 40
        while true {
            if let real = realpath(path, nil) {
                defer { free(real) }
                let start = String(cString: real)
                let found = rest.reversed().reduce(start == "/" ? "" : start) { $0 + "/" + $1 }
                return URL(fileURLWithPath: found, isDirectory: false)
            }
            if linksLeft > 0, let target = AtomicFile.target(ofLink: path) {
                linksLeft -= 1
                path = target
                continue
            }
            let parent = AtomicFile.parent(of: path)
            if parent == path || parent == "." { return url }
            rest.append(AtomicFile.name(of: path))
            path = parent
        }
    }

    private static let cleaned = Locked<Set<ExactString>>([])

    /// Removes the temporary files that killed processes left beside a file, at the first write to
    /// it.
    static func removeAbandoned(beside path: String) {
        let isFirst = cleaned.withLock { cleaned in
            // Bounds the set for a service that writes a new file each hour. A repeated search is
            // harmless.
            if cleaned.count > 1000 { cleaned = [] }
            return cleaned.insert(ExactString(path)).inserted
        }
        guard isFirst else { return }
        AtomicFile.removeAbandoned(beside: path)
    }
}

/// The paths of the files that persisters and listeners use, with the channel of each.
///
/// A path with a link keeps its channel while it's in use, even if the link is pointed elsewhere.
struct FilePaths {
    private struct Use {
        let key: URL
        var users = 0
    }

    private var uses: [ExactString: Use] = [:]

    /// Returns the key of a path in use.
    func key(of path: String) -> URL? { uses[ExactString(path)]?.key }

    /// Returns the path through which all users of a key use it, or `nil` if there are several.
    func path(of key: URL) -> String? {
        let paths = uses.filter { $0.value.key == key }.keys
        return paths.count == 1 ? paths.first?.key : nil
    }

    /// Adds a user of a path.
    ///
    /// - Parameter key: The key of the path if it isn't in use.
    /// - Returns: The key of the path.
    mutating func beginUse(of path: String, _ key: URL) -> URL {
        uses[ExactString(path), default: Use(key: key)].users += 1
        return uses[ExactString(path)]?.key ?? key
    }

    mutating func endUse(of path: String) {
        uses[ExactString(path)]?.users -= 1
        if uses[ExactString(path)]?.users == 0 { uses[ExactString(path)] = nil }
    }
}
