import Foundation

/// The way of a path through the file system at one moment, with the entries to watch.
///
/// A path is resolved as the system does it: name by name, through links, where `..` leads to the
/// parent of the current folder.
struct ResolvedPath: Hashable, Sendable {
    /// An entry to watch for one reason.
    ///
    /// Several steps may watch the same entry.
    struct Step: Hashable, Sendable {
        /// A path without links, except for the last name.
        ///
        /// A link with that name must not be followed.
        var path: String
        var identity: FileIdentity
        var interest: FileInterest
    }

    private(set) var steps: [Step] = []

    /// The reason why the path can't be resolved to its end, as an `errno`; `nil` if it can, or if
    /// an entry is missing.
    private(set) var obstacle: Int32?

    /// `true` if the path leads to an existing file.
    var reachesFile: Bool { steps.last?.interest == .contents }

    /// The maximum number of links on a path: Linux's limit.
    private static var maximumLinkCount: Int { 40 }

    private typealias Folder = (path: String, identity: FileIdentity)

    /// Follows a path from the root to the file, or to the first missing entry.
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - entry: A closure that returns the entry at a path, without following a link there.
    /// - Complexity: O(*n*), where *n* is the number of names in the path and in its links.
    init(
        to path: String,
        entry: (String) throws(FileEntry.Failure) -> FileEntry = FileEntry.init(atPath:)
    ) {
        do throws(FileEntry.Failure) {
            try follow(path, entry)
        } catch {
            if FileStatus(errorNumber: error.errorNumber) != .missing {
                obstacle = error.errorNumber
            }
            return
        }
        // While the file exists, its folders can't be deleted, and a renamed folder reports this
        // itself. So other events in the folders above, such as /tmp, need no check.
        // Without the file, each name counts: a folder that is deleted while a process works in it
        // reports nothing.
        for index in steps.indices {
            if case .entry = steps[index].interest { steps[index].interest = .itself }
        }
    }

    private mutating func follow(
        _ path: String,
        _ entry: (String) throws(FileEntry.Failure) -> FileEntry
    ) throws(FileEntry.Failure) {
        var folders = [(path: "/", identity: try entry("/").identity)]
        var names = Self.names(in: path)
        var linkCount = 0
        while let name = names.popLast() {
            let folder = folders[folders.count - 1]
            if name == ".." {
                if folders.count > 1 { folders.removeLast() }
                continue
            }
            let isFile = names.isEmpty
            let path = folder.path == "/" ? "/" + name : folder.path + "/" + name
            // The step is added before the entry is read: if the entry is missing, this is the
            // step to watch.
            add(folder, isFile ? .file(named: ExactString(name)) : .entry(named: ExactString(name)))
            let entry = try entry(path)
            switch entry.kind {
            case .link(let target):
                linkCount += 1
                if linkCount > Self.maximumLinkCount { throw FileEntry.Failure(errorNumber: ELOOP) }
                add((path, entry.identity), .itself)
                if !isFile { steps[steps.count - 2].interest = .link(named: ExactString(name)) }
                if target.utf8.first == UInt8(ascii: "/") { folders.removeLast(folders.count - 1) }
                names += Self.names(in: target)
            case .folder where !isFile:
                folders.append((path, entry.identity))
            case .other where !isFile:
                throw FileEntry.Failure(errorNumber: ENOTDIR)
            case .folder, .other:
                return add((path, entry.identity), .contents)
            }
        }
        // The path ends in `..`, or is the root.
        add(folders[folders.count - 1], .contents)
    }

    private mutating func add(_ entry: Folder, _ interest: FileInterest) {
        steps.append(Step(path: entry.path, identity: entry.identity, interest: interest))
    }

    /// Returns the names in a path, the last one first.
    private static func names(in path: String) -> [String] {
        // Split as bytes: a slash and a combining mark after it are a single `Character`.
        path.utf8.split(separator: UInt8(ascii: "/")).reversed()
            .map { String(decoding: $0, as: UTF8.self) }.filter { $0 != "." }
    }
}

struct FileEntry: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case folder
        case link(target: String)
        /// A file, or another entry that a path can't lead through.
        case other
    }

    /// The reason why no entry could be found, as an `errno`.
    struct Failure: Error, Hashable {
        var errorNumber: Int32
    }

    var identity: FileIdentity
    var kind: Kind

    init(identity: FileIdentity, kind: Kind) {
        self.identity = identity
        self.kind = kind
    }

    /// Reads an entry from the file system, without following a link.
    init(atPath path: String) throws(Failure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw Failure(errorNumber: errno) }
        identity = FileIdentity(status)
        kind =
            switch status.st_mode & mode_t(S_IFMT) {
            case mode_t(S_IFDIR): .folder
            case mode_t(S_IFLNK): .link(target: try Self.target(ofLink: path))
            default: .other
            }
    }

    private static func target(ofLink path: String) throws(Failure) -> String {
        guard let target = AtomicFile.text(ofLink: path) else { throw Failure(errorNumber: errno) }
        return target
    }
}
