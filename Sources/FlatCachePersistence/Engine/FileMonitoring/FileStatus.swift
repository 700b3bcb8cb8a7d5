import Foundation

/// The status of a file, without its contents.
enum FileStatus: Hashable, Sendable {
    /// There is no file.
    case missing

    /// There is a file with this metadata.
    case found(Metadata)

    /// The system refuses access to the path, with an `errno` as the reason.
    case inaccessible(errorNumber: Int32)

    /// The metadata of a file.
    ///
    /// Each write changes some of it, unless two writes happen within one tick of the file
    /// system's clock.
    struct Metadata: Hashable, Sendable {
        var identity: FileIdentity
        /// The size in bytes.
        var size: Int64
        /// The time of the last change of the contents, in nanoseconds since 1970.
        var contentTime: Int64
        /// The time of the last change, permissions included, in nanoseconds since 1970.
        var changeTime: Int64
    }

    /// Reads the status of the file at a path, following symbolic links.
    init(atPath path: String) {
        var status = stat()
        if stat(path, &status) == 0 {
            self = .found(Metadata(status))
        } else {
            self = Self(errorNumber: errno)
        }
    }

    /// Creates the status of a file that the system can't return, with an `errno` as the reason.
    init(errorNumber: Int32) {
        let isMissing = errorNumber == ENOENT || errorNumber == ENOTDIR
        self = isMissing ? .missing : .inaccessible(errorNumber: errorNumber)
    }
}

extension FileStatus.Metadata {
    /// The seconds since the last change of the contents.
    func age(at moment: Int) -> Int64 { Int64(moment) - contentTime / 1_000_000_000 }

    fileprivate init(_ status: stat) {
        #if canImport(Darwin)
        let (contentTime, changeTime) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (contentTime, changeTime) = (status.st_mtim, status.st_ctim)
        #endif
        identity = FileIdentity(status)
        size = Int64(status.st_size)
        self.contentTime = contentTime.nanoseconds
        self.changeTime = changeTime.nanoseconds
    }
}

extension FileIdentity {
    init(_ status: stat) {
        // The types differ between systems; the conversion loses no bit on any of them.
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}

extension timespec {
    /// The time in nanoseconds.
    ///
    /// A time far from now may wrap around. This is harmless, since the status has several times.
    fileprivate var nanoseconds: Int64 {
        Int64(truncatingIfNeeded: tv_sec) &* 1_000_000_000 &+ Int64(truncatingIfNeeded: tv_nsec)
    }
}

/// The numbers that distinguish a file or folder from all others that exist at the same time.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var number: UInt64
}
