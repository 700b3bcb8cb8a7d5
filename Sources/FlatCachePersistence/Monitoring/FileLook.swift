#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// What a look at a path has found, without reading the file.
enum FileLook: Hashable, Sendable {
    /// Nothing.
    case missing

    /// A file that has these marks.
    case found(Marks)

    /// The system does not say what is there, for a reason that it has given as an `errno`.
    case hidden(errorNumber: Int32)

    /// What the system notes with a file; whoever writes it changes some of it, unless two writes
    /// fall into one tick of the file system's clock.
    struct Marks: Hashable, Sendable {
        var identity: FileIdentity
        /// In bytes.
        var size: Int64
        /// When the contents were changed last, in nanoseconds since 1970.
        var contentTime: Int64
        /// When anything was changed last, permissions included, in nanoseconds since 1970.
        var changeTime: Int64
    }

    /// Takes a look, through symbolic links.
    ///
    /// - Parameter path: An absolute path.
    init(atPath path: String) {
        var status = stat()
        if stat(path, &status) == 0 {
            self = .found(Marks(status))
        } else {
            self = Self(errorNumber: errno)
        }
    }

    /// Says what the system's refusal to look means.
    init(errorNumber: Int32) {
        let isMissing = errorNumber == ENOENT || errorNumber == ENOTDIR
        self = isMissing ? .missing : .hidden(errorNumber: errorNumber)
    }
}

extension FileLook.Marks {
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
    /// Takes the identity out of what the system says about a file.
    init(_ status: stat) {
        // The types differ from system to system; no bit is lost on any.
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }
}

extension timespec {
    /// A time far from now may wrap around: it is only ever compared with another.
    fileprivate var nanoseconds: Int64 {
        Int64(truncatingIfNeeded: tv_sec) &* 1_000_000_000 &+ Int64(truncatingIfNeeded: tv_nsec)
    }
}
