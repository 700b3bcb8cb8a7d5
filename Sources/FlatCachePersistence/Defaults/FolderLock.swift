#if !canImport(Darwin)
import Foundation

/// Keeps other processes, and other threads that open the folder themselves, from writing in a folder
/// in which they ask for the same lock.
///
/// It is an advisory lock (`flock`) on the folder itself: it leaves no file behind, nobody can delete it
/// while it is held, and it goes with the process that holds it, however that ends. One lock for all
/// domains in the folder is right, because `UserDefaults.synchronize()` saves all of them at once.
///
/// Some network file systems lock only files that are open for writing. There it is a hidden file in
/// the folder.
struct FolderLock: ~Copyable {
    private let descriptor: FileDescriptor

    private static let fileName = ".FlatCache.lock"

    /// The time for which a caller waits by default.
    ///
    /// A write takes milliseconds. A process that holds the lock longer has been stopped, or hangs.
    static let patience = Duration.seconds(10)

    /// Waits for the lock.
    ///
    /// - Parameters:
    ///   - folder: The folder's path.
    ///   - file: The path of the file in it that is to be used, for the error.
    ///   - patience: The longest time to wait.
    /// - Throws: ``FileError``: with the code `ETIMEDOUT` if the wait was too long, and another if
    ///   the folder is not there or cannot be locked.
    init(folder: String, file: String? = nil, patience: Duration = Self.patience) throws {
        let descriptor = try FileDescriptor(folder, O_RDONLY | O_DIRECTORY)
        let file = file ?? folder
        if try Self.lock(descriptor, file, patience) {
            self.descriptor = descriptor
            return
        }
        guard [EBADF, EINVAL, ENOLCK, EOPNOTSUPP].contains(errno) else {
            throw FileError(FileError.lock, file)
        }
        let path = "\(folder)/\(Self.fileName)"
        let lockFile = try FileDescriptor(path, O_RDWR | O_CREAT, mode: 0o600)
        guard try Self.lock(lockFile, file, patience) else { throw FileError(FileError.lock, path) }
        self.descriptor = lockFile
    }

    /// Locks a file.
    ///
    /// The system has no call that waits for a limited time, so it is asked again and again: after
    /// tenths of a millisecond first, then every few milliseconds.
    ///
    /// - Returns: `false` if the system refuses, for the reason in `errno`.
    /// - Throws: ``FileError`` if another process has held the lock all the time.
    private static func lock(
        _ descriptor: borrowing FileDescriptor,
        _ file: String,
        _ patience: Duration
    ) throws -> Bool {
        let deadline = ContinuousClock.now + patience
        var pause: UInt32 = 50
        while true {
            let number = descriptor.number
            if retrying({ flock(number, LOCK_EX | LOCK_NB) }) == 0 { return true }
            guard errno == EWOULDBLOCK else { return false }
            guard ContinuousClock.now < deadline else {
                throw FileError(FileError.lock, file, code: ETIMEDOUT)
            }
            usleep(pause)
            pause = min(pause * 2, 3000)
        }
    }
}
#endif
