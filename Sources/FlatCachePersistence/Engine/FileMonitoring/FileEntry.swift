import Foundation

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
    ///
    /// - Parameter path: An absolute path.
    /// - Throws: ``Failure`` if there is no entry, or if the system refuses to read it.
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
