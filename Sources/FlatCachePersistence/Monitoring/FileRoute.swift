#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// The way that a path takes through the file system at a moment, and what on it has to be watched.
///
/// It is found as the system finds it: name by name, through links, with `..` leading to the parent
/// of the folder that has been reached.
struct FileRoute: Hashable, Sendable {
    /// A thing to watch, for one reason; the same thing may be watched for several.
    struct Step: Hashable, Sendable {
        /// A path without links but for the last name, which is not to be followed.
        var path: String
        /// What was there.
        var identity: FileIdentity
        var interest: FileInterest
    }

    private(set) var steps: [Step] = []

    /// Why the way is not known to the end, other than that nothing is there, as an `errno`.
    private(set) var obstacle: Int32?

    /// Whether the way ends at the file.
    var reachesFile: Bool { steps.last?.interest == .contents }

    /// How many links the way may lead through, which is what Linux allows.
    private static var maximumLinkCount: Int { 40 }

    private typealias Folder = (path: String, identity: FileIdentity)

    /// Goes the way from the root to the file, or as far as there is one.
    ///
    /// - Parameters:
    ///   - path: An absolute path.
    ///   - entry: Says what is at a path, without following a link there.
    /// - Complexity: O(*n*), where *n* is the number of names in the path and in the links on the
    ///   way.
    init(
        to path: String,
        entry: (String) throws(FileEntry.Failure) -> FileEntry = FileEntry.init(atPath:)
    ) {
        do throws(FileEntry.Failure) {
            try follow(path, entry)
        } catch {
            if FileLook(errorNumber: error.errorNumber) != .missing {
                obstacle = error.errorNumber
            }
            return
        }
        // While the file is there its folders cannot be deleted, and a folder that is renamed tells
        // so itself; so what else happens in the folders above, such as /tmp, need not wake
        // anybody. Without the file each name counts: a folder that is deleted while some process
        // works in it says nothing.
        for index in steps.indices where steps[index].interest.isQuietOnceFound {
            steps[index].interest = .waypoint
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
            // Noted before it is known whether there is such an entry: if not, this is what to
            // watch.
            add(folder, isFile ? .file(named: name) : .entry(named: name))
            let entry = try entry(path)
            switch entry.kind {
            case .link(let target):
                linkCount += 1
                if linkCount > Self.maximumLinkCount { throw FileEntry.Failure(errorNumber: ELOOP) }
                add((path, entry.identity), .waypoint)
                if !isFile { steps[steps.count - 2].interest = .link(named: name) }
                if target.hasPrefix("/") { folders.removeLast(folders.count - 1) }
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

    private mutating func add(_ place: Folder, _ interest: FileInterest) {
        steps.append(Step(path: place.path, identity: place.identity, interest: interest))
    }

    /// The names in a path, the last one first.
    private static func names(in path: String) -> [String] {
        path.split(separator: "/").reversed().filter { $0 != "." }.map(String.init)
    }
}
