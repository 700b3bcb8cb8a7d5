#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// The reason why the system can't watch a file, so that a ``FileWriteMonitor`` checks the file
/// twice a second instead.
///
/// ```swift
/// let monitor = FileWriteMonitor(url: settingsFile) { print($0) }
/// if let error = monitor.watchError, error.reason == .tooManyWatches {
///     print("Raise fs.inotify.max_user_watches.")
/// }
/// ```
public struct FileWatchError: Error, Hashable, Sendable {
    /// The resource or permission that is missing.
    public enum Reason: Hashable, Sendable {
        /// The process can't open another descriptor, or, on Linux, the user can't have another
        /// instance of inotify.
        case tooManyDescriptors
        /// The user can't watch more files and folders, on Linux.
        case tooManyWatches
        /// The process has no permission to read the file, or a folder on its path.
        case notPermitted
        /// Another reason; see ``FileWatchError/errorNumber``.
        case other
    }

    /// The path of the file or folder that the system can't watch.
    public let path: String

    /// The error number of the system, an `errno`.
    public let errorNumber: Int32

    /// The resource or permission that is missing.
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
    /// A sentence with the path and the reason, and with advice where there is one.
    public var description: String {
        "The system can't watch \(path), so the monitor checks it twice a second. \(explanation)"
    }

    private var explanation: String {
        switch reason {
        case .tooManyDescriptors:
            #if canImport(Darwin)
            "The process has reached its limit of open files. Raise it (ulimit -n)."
            #else
            """
            Either the process has reached its limit of open files; raise it (ulimit -n). Or the \
            user has reached the limit of inotify instances; raise \
            fs.inotify.max_user_instances (sysctl).
            """
            #endif
        case .tooManyWatches:
            """
            The user has reached the limit of watched files. Raise fs.inotify.max_user_watches \
            (sysctl).
            """
        case .notPermitted:
            "The process can't read it. Give the process permission."
        case .other:
            "\(systemReason) (error \(errorNumber))."
        }
    }

    private var systemReason: String {
        String(cString: strerror(errorNumber))
    }
}
