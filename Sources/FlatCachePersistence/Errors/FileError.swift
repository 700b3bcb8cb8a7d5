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

    /// `true` if another process, or another thread of this process, holds the lock.
    var isBusy: Bool { operation == Self.lock && code == ETIMEDOUT }

    /// A description of the file, the operation, and the reason for its failure.
    public var description: String {
        if isBusy { return "Cannot lock \(path): another process holds the lock" }
        let advice = advice.map { "; \($0)" } ?? ""
        return "Cannot \(operation) \(path): \(String(cString: strerror(code))) (\(code))\(advice)"
    }
}
