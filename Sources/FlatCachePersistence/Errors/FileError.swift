import Foundation

/// An error of a system call for a file.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file or folder.
    public let path: String

    /// The operation that failed, such as "open".
    public let operation: String

    /// The system's error number, as in `errno.h`.
    public let code: Int32

    /// The remedy that the description names.
    var advice: String?

    /// The operation that waits for a lock.
    static let lock = "lock"

    init(_ operation: String, _ path: String, code: Int32 = errno) {
        self.path = path
        self.operation = operation
        self.code = code
    }

    /// Returns the reason why the system can't watch a file or a folder, with advice.
    static func watching(_ path: String, code: Int32) -> FileError {
        var error = FileError("watch", path, code: code)
        error.advice =
            switch code {
            case EMFILE, ENFILE:
                """
                raise the limit of open files (ulimit -n) or, on Linux, of inotify instances \
                (fs.inotify.max_user_instances)
                """
            case ENOSPC: "raise the limit of watched files (fs.inotify.max_user_watches)"
            default: nil
            }
        return error
    }

    /// `true` if another process, or another thread of this process, holds the lock.
    var isBusy: Bool { operation == Self.lock && code == ETIMEDOUT }

    /// A description of the file, the operation, and the reason for its failure.
    public var description: String {
        if isBusy { return "Cannot lock \(path): another process holds the lock" }
        let advice = advice.map { "; \($0)" } ?? ""
        return "Cannot \(operation) \(path): \(String(cString: strerror(code))) (\(code))\(advice)"
    }
}

/// An error that reports that the file of a defaults domain isn't a valid property list of values.
///
/// The library neither reads nor overwrites such a file: repair it, or move it away. Plain
/// `UserDefaults` calls treat it as empty. Foundation overwrites it when it next saves values that
/// plain calls have set, and it saves all domains at once.
public struct DefaultsFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    public let path: String

    /// The reason why the file isn't valid.
    public let underlying: PropertyListError

    /// A sentence that names the file and the reason.
    public var description: String {
        "The defaults in \(path) aren't valid and were left unchanged. \(underlying)"
    }
}
