import FlatCache
import Foundation

/// A lock that keeps other processes, and other threads of this process, from writing in a folder
/// if they use the same lock.
///
/// It is an advisory lock (`flock`) on the folder itself. It leaves no file behind, can't be
/// deleted while it is held, and is released when its process ends, however that happens. All
/// domains in a folder share one lock, because `UserDefaults.synchronize()` saves all of them at
/// once.
///
/// Some network file systems lock only files that are open for writing. There, the lock is on a
/// hidden file in the folder.
struct FolderLock: ~Copyable {
    /// The locked folder or file, or `nil` if the thread runs a closure of `using(_:_:)` that holds
    /// the folder's lock.
    private let descriptor: FileDescriptor?

    /// The threads of this process that run a closure of `using(_:_:)`, by the locked folder.
    private static let users = Locked<[FileIdentity: UInt]>([:])

    private static let fileName = ".FlatCache.lock"

    /// The default maximum time to wait for the lock.
    ///
    /// A write takes milliseconds. A process that holds the lock for longer is stopped or hangs.
    static let timeout = Duration.seconds(10)

    /// Acquires the lock, waiting for it if necessary.
    ///
    /// - Parameters:
    ///   - folder: The folder's path.
    ///   - file: The path of the file that the caller is about to use, for error messages.
    ///   - timeout: The maximum time to wait.
    ///   - clock: The clock that times the wait.
    /// - Throws: ``FileError``, with the code `ETIMEDOUT` if `timeout` has elapsed, or another
    ///   code if the folder doesn't exist or can't be locked.
    init(
        folder: String,
        file: String? = nil,
        timeout: Duration = Self.timeout,
        clock: any PersistenceClock = SystemClock()
    ) throws {
        let descriptor = try FileDescriptor(folder, O_RDONLY | O_DIRECTORY)
        let file = file ?? folder
        let identity = FileIdentity(try descriptor.status())
        if Self.users.withLock({ $0[identity] }) == currentThread {
            self.descriptor = nil
            return
        }
        // Not longer than a moment for a thread in `using(_:_:)`, to avoid a deadlock: its closure
        // may wait for another lock that this thread holds.
        let start = clock.elapsed
        let mayWait = {
            clock.elapsed - start < .moment || Self.users.withLock { $0[identity] } == nil
        }
        if try Self.lock(descriptor, file, timeout, clock, mayWait) {
            self.descriptor = .some(descriptor)
            return
        }
        guard [EBADF, EINVAL, ENOLCK, EOPNOTSUPP].contains(errno) else {
            throw FileError(FileError.lock, file)
        }
        let path = "\(folder)/\(Self.fileName)"
        let lockFile = try FileDescriptor(path, O_RDWR | O_CREAT, mode: 0o600)
        guard try Self.lock(lockFile, file, timeout, clock, mayWait) else {
            throw FileError(FileError.lock, path)
        }
        self.descriptor = .some(lockFile)
    }

    /// Locks a file.
    ///
    /// - Returns: `false` if the system refuses; `errno` holds the reason.
    /// - Throws: ``FileError`` if another process held the lock until the deadline.
    private static func lock(
        _ descriptor: borrowing FileDescriptor,
        _ file: String,
        _ timeout: Duration,
        _ clock: any PersistenceClock,
        _ mayWait: () -> Bool
    ) throws -> Bool {
        let number = descriptor.number
        return try waiting(timeout, clock, while: mayWait) {
            if retrying({ flock(number, LOCK_EX | LOCK_NB) }) == 0 { return true }
            guard errno == EWOULDBLOCK else { return false }
            throw FileError(FileError.lock, file, code: ETIMEDOUT)
        }
    }

    /// Runs a closure in which this thread can lock the folder once more.
    borrowing func using<Result>(_ folder: String, _ body: () throws -> Result) throws -> Result {
        let identity = FileIdentity(try FileDescriptor(folder, O_RDONLY | O_DIRECTORY).status())
        let outer = Self.users.withLock { $0.updateValue(currentThread, forKey: identity) }
        defer { Self.users.withLock { $0[identity] = outer } }
        return try body()
    }
}
