import Foundation

/// Says which call of the system failed for which file.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file or folder.
    public let path: String

    /// What was to be done, such as "open".
    public let operation: String

    /// The system's number of the error, as in `errno.h`.
    public let code: Int32

    /// The operation of waiting for a lock.
    static let lock = "lock"

    init(_ operation: String, _ path: String, code: Int32 = errno) {
        self.path = path
        self.operation = operation
        self.code = code
    }

    /// A sentence that names the file, what was to be done, and why it was not.
    public var description: String {
        if operation == Self.lock, code == ETIMEDOUT {
            return "Cannot lock \(path): another process has held the lock for too long"
        }
        return "Cannot \(operation) \(path): \(String(cString: strerror(code))) (\(code))"
    }
}
