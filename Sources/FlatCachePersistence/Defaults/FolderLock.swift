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

    /// Waits for the lock.
    ///
    /// - Parameter folder: The folder's path.
    /// - Throws: ``FileError`` if the folder is not there or cannot be locked.
    init(folder: String) throws {
        let descriptor = try FileDescriptor(folder, O_RDONLY | O_DIRECTORY)
        if retrying({ flock(descriptor.number, LOCK_EX) }) == 0 {
            self.descriptor = descriptor
            return
        }
        guard [EBADF, EINVAL, ENOLCK, EOPNOTSUPP].contains(errno) else {
            throw FileError("lock", folder)
        }
        let path = "\(folder)/\(Self.fileName)"
        let file = try FileDescriptor(path, O_RDWR | O_CREAT, mode: 0o600)
        guard retrying({ flock(file.number, LOCK_EX) }) == 0 else { throw FileError("lock", path) }
        self.descriptor = file
    }
}
#endif
