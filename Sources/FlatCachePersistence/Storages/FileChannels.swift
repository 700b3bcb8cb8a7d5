import FlatCache
import Foundation

/// The channels of all files that this process uses.
enum FileChannels {
    static let shared = StorageChannels<URL, Data>(areEqual: ==) { url, channels in
        watch(url, channels)
    }

    /// Begins to tell the channels when somebody changes a file.
    private static func watch(
        _ url: URL,
        _ channels: StorageChannels<URL, Data>
    ) -> Disposable? {
        // Whoever uses it gets an error.
        guard isFile(url) else { return nil }
        let monitor = FileWriteMonitor(url: url) { [weak channels] _ in
            channels?.noteExternalChange(forKey: url) { try AtomicFile.read(url.path) }
        }
        return Disposable { monitor.cancel() }
    }

    /// The path of a file.
    static func path(of url: URL) throws -> String {
        guard isFile(url) else { throw NotAFileError(url: url) }
        return path(ofFile: url)
    }

    /// Returns whether a URL has a path that a file can have: the system cuts it off at a zero byte.
    private static func isFile(_ url: URL) -> Bool {
        url.isFileURL && !path(ofFile: url).utf8.contains(0)
    }

    /// The path as it is given: taking `..` out of it as text would lead elsewhere behind a link.
    private static func path(ofFile url: URL) -> String {
        url.absoluteURL.path(percentEncoded: false)
    }

    /// The URL of the place where a file really is: the same for all paths that lead to it.
    ///
    /// What isn't there yet is taken to come where the path says.
    static func place(of url: URL) -> URL {
        guard isFile(url) else { return url }
        var path = path(ofFile: url)
        var rest: [String] = []
        // Links that lead in a circle are an error for whoever uses the file.
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

    private static let cleaned = Guarded<Set<String>>([])

    /// Removes what killed processes have left behind beside a file, the first time that it is written.
    static func removeAbandoned(besides path: String) {
        let isFirst = cleaned.withLock { cleaned in
            // A service may write a new file each hour, for ever; looking once more does no harm.
            if cleaned.count > 1000 { cleaned = [] }
            return cleaned.insert(path).inserted
        }
        guard isFirst else { return }
        AtomicFile.removeAbandoned(besides: path)
    }
}

/// Says that a URL leads to no file.
struct NotAFileError: Error, CustomStringConvertible {
    let url: URL

    var description: String {
        url.isFileURL
            ? "\(url.absoluteString) is no file: its path holds a zero byte"
            : "\(url.absoluteString) is no file: make the URL with URL(fileURLWithPath:)"
    }
}
