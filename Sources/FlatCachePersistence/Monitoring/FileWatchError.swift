#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// Why the system does not watch a file, so that a ``FileWriteMonitor`` looks at it every so often.
public struct FileWatchError: Error, Hashable, Sendable {
    /// What the system lacks or refuses.
    public enum Reason: Hashable, Sendable {
        /// The process may not open another descriptor, or, on Linux, the user may not have another
        /// instance of inotify.
        case tooManyDescriptors
        /// The user may not watch more files and folders, on Linux.
        case tooManyWatches
        /// The process may not read the file, or a folder on the way to it.
        case notPermitted
        /// Something else, which ``FileWatchError/errorNumber`` tells.
        case other
    }

    /// The file or folder that is not watched.
    public let path: String

    /// The reason that the system has given, as an `errno`.
    public let errorNumber: Int32

    /// What the system lacks or refuses.
    public var reason: Reason {
        switch errorNumber {
        case EMFILE, ENFILE: .tooManyDescriptors
        case ENOSPC: .tooManyWatches
        case EACCES, EPERM: .notPermitted
        default: .other
        }
    }
}

extension FileWatchError: CustomStringConvertible {
    /// What is not watched, why, and what to do about it.
    public var description: String {
        "The system does not watch \(path), so it is looked at twice a second. \(explanation)"
    }

    private var explanation: String {
        switch reason {
        case .tooManyDescriptors:
            #if canImport(Darwin)
            "The process has as many files open as it may: raise the limit (ulimit -n)."
            #else
            """
            Either the process has as many files open as it may: raise the limit (ulimit -n); or \
            the processes of this user have as many instances of inotify as they may: raise \
            fs.inotify.max_user_instances (sysctl).
            """
            #endif
        case .tooManyWatches:
            """
            The processes of this user watch as many files as they may: raise \
            fs.inotify.max_user_watches (sysctl).
            """
        case .notPermitted:
            "The process may not read it: give it the permission to."
        case .other:
            "\(systemReason) (error \(errorNumber))."
        }
    }

    private var systemReason: String {
        String(cString: strerror(errorNumber))
    }
}
