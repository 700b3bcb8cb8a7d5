import FlatCache
import Foundation
import Synchronization

/// Functions that read and write whole files, so that readers find either the old contents or the
/// new ones.
///
/// A write creates a temporary file in the same folder and renames it. With POSIX, `rename`
/// replaces a file in one step.
enum AtomicFile {
    /// The number of the last temporary file of this process.
    private static let count = Atomic<Int>(0)

    /// Returns the contents of a file, or `nil` if there is none.
    ///
    /// - Throws: `FileError` if a file exists and can't be read, or is a folder.
    static func read(_ path: String) throws -> Data? {
        do {
            // Without `O_NONBLOCK`, opening a pipe would wait for a writer.
            let file = try FileDescriptor(path, O_RDONLY | O_NONBLOCK)
            let status = try file.status()
            try checkIsFile(status, "read", path)
            return try file.readToEnd(expected: Int(status.st_size))
        } catch let error as FileError where error.code == ENOENT {
            return nil
        }
    }

    /// Replaces the contents of a file, or creates the file and its missing folders.
    ///
    /// The file keeps its permissions. A symbolic link is followed.
    ///
    /// - Parameters:
    ///   - durability: The events that the contents survive.
    ///   - isPrivate: `true` if new files and folders are accessible to the user alone.
    ///   - mayWriteInPlace: `true` to write a file in place if the system can't replace it.
    /// - Throws: `FileError`; the file is unchanged then, unless it was written in place.
    static func write(
        _ data: Data,
        to path: String,
        durability: FileDurability,
        isPrivate: Bool = false,
        mayWriteInPlace: Bool = false
    ) throws {
        let target = try destination(of: path)
        let folder = parent(of: target)
        do {
            try replace(target, in: folder, with: data, durability, isPrivate)
        } catch let error as FileError where error.code == ENOENT {
            try createFolder(folder, isPrivate: isPrivate, durability: durability)
            try replace(target, in: folder, with: data, durability, isPrivate)
        } catch let error as FileError where mayWriteInPlace && canOnlyWriteInPlace(target, error) {
            try writeInPlace(data, to: target, durability)
        }
    }

    /// Returns whether a write of a file that the system couldn't replace may succeed in place.
    ///
    /// A file that is mounted by itself can't be replaced (`EBUSY`), and neither can a file in a
    /// folder that the process may not change.
    static func canOnlyWriteInPlace(_ target: String, _ error: FileError) -> Bool {
        var status = stat()
        return [EBUSY, EXDEV, EACCES, EPERM, EROFS].contains(error.code)
            && stat(target, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && access(target, W_OK) == 0
    }

    /// Overwrites a file.
    ///
    /// A process that ends meanwhile leaves a mixture of both contents.
    private static func writeInPlace(
        _ data: Data,
        to target: String,
        _ durability: FileDurability
    ) throws {
        let file = try FileDescriptor(target, O_WRONLY | O_NONBLOCK)
        try checkIsFile(try file.status(), "write", target)
        try file.write(data)
        guard ftruncate(file.number, off_t(data.count)) == 0 else {
            throw FileError("truncate", target)
        }
        try file.synchronize(durability)
    }

    /// Removes a file, if there is one.
    ///
    /// A symbolic link is followed, and isn't removed.
    static func remove(_ path: String, durability: FileDurability = .unsynchronized) throws {
        let target = try destination(of: path)
        if unlink(target) == 0 {
            try synchronizeFolder(parent(of: target), durability)
        } else if errno != ENOENT {
            throw FileError("remove", target)
        }
    }

    /// Copies a file beside itself, under an unused name.
    ///
    /// - Returns: The copy's path, or `nil` if there is no file.
    static func copyAside(_ path: String, marker: String) throws -> String? {
        guard let data = try read(path) else { return nil }
        let copy = try create(0o600) { "\(path).\(marker)" + ($0 == 0 ? "" : "-\($0)") }
        do {
            try copy.write(data)
            try copy.synchronize(.durable)
        } catch {
            unlink(copy.path)
            throw error
        }
        return copy.path
    }

    private static func replace(
        _ target: String,
        in folder: String,
        with data: Data,
        _ durability: FileDurability,
        _ isPrivate: Bool
    ) throws {
        var status = stat()
        let isThere = stat(target, &status) == 0
        if isThere { try checkIsFile(status, "write", target) }
        // A process that may not write the file may still be allowed to replace it. A user wouldn't
        // expect that.
        if isThere, access(target, W_OK) != 0 { throw FileError("write", target) }
        // The name may be in use: a process in another container may have the same number. So may a
        // killed process: the first process of a container always has the same number.
        let file = try create(isPrivate ? 0o600 : 0o666) { _ in
            "\(folder)/\(temporaryName(for: target))"
        }
        do {
            if isThere { makeAlike(file, status) }
            try file.write(data)
            try file.synchronize(durability)
            #if TestHooks
            Perturbation.perturb()
            #endif
            guard rename(file.path, target) == 0 else { throw FileError("replace", target) }
        } catch {
            unlink(file.path)
            throw error
        }
        try synchronizeFolder(folder, durability)
    }

    /// Waits until the names in a folder are as safe as a policy demands.
    private static func synchronizeFolder(_ path: String, _ durability: FileDurability) throws {
        if durability == .durable { try FileDescriptor(path, O_RDONLY).synchronize(.durable) }
    }

    /// Throws an error unless a path is a regular file.
    ///
    /// A read of a pipe or a device may never end, and a file must not replace one.
    private static func checkIsFile(
        _ status: stat,
        _ operation: String,
        _ path: String
    ) throws {
        let kind = status.st_mode & S_IFMT
        if kind == S_IFREG { return }
        throw FileError(operation, path, code: kind == S_IFDIR ? EISDIR : EINVAL)
    }

    /// Creates a file under an unused name.
    ///
    /// - Parameter path: A closure that returns the path for an attempt, counted from zero.
    private static func create(_ mode: mode_t, _ path: (Int) -> String) throws -> FileDescriptor {
        var attempt = 0
        while true {
            do {
                return try FileDescriptor(path(attempt), O_WRONLY | O_CREAT | O_EXCL, mode: mode)
            } catch let error as FileError where error.code == EEXIST {
                attempt += 1
            }
        }
    }

    /// Gives a file the owner and the permissions of the file that it replaces, as far as the
    /// system allows.
    private static func makeAlike(_ file: borrowing FileDescriptor, _ status: stat) {
        if fchown(file.number, status.st_uid, status.st_gid) != 0 {
            // Only a privileged process may change the owner, but others may change the group.
            fchown(file.number, uid_t.max, status.st_gid)
        }
        // After the change of the owner, because that change clears some permission bits.
        fchmod(file.number, status.st_mode & 0o7777)
    }

    /// Returns the path that a chain of symbolic links points to, whether or not it exists.
    private static func destination(of path: String) throws -> String {
        var target = path
        // The limit of links that the systems follow.
        for _ in 0..<40 {
            guard let next = self.target(ofLink: target) else { return target }
            target = next
        }
        throw FileError("follow", path, code: ELOOP)
    }

    /// Returns the target of a symbolic link, or `nil` if there is no link at the path.
    static func target(ofLink path: String) -> String? {
        guard let target = text(ofLink: path) else { return nil }
        return target.utf8.first == slash ? target : "\(parent(of: path))/\(target)"
    }

    /// Returns the text of a symbolic link, or `nil`, with the reason in `errno`.
    static func text(ofLink path: String) -> String? {
        // No system has longer links.
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    static func createFolder(
        _ path: String,
        isPrivate: Bool,
        durability: FileDurability = .unsynchronized
    ) throws {
        var status = stat()
        if stat(path, &status) == 0 { return }
        let parent = parent(of: path)
        if path != "/", path != "." {
            try createFolder(parent, isPrivate: isPrivate, durability: durability)
        }
        if mkdir(path, isPrivate ? 0o700 : 0o777) == 0 {
            try synchronizeFolder(parent, durability)
        } else if errno != EEXIST {
            throw FileError("create the folder", path)
        }
    }

    /// The separator of names in a path.
    ///
    /// Paths are searched as bytes: a separator and a combining mark that begins the next name are
    /// a single `Character`.
    private static let slash = UInt8(ascii: "/")

    static func parent(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: slash) else { return "." }
        return end == path.startIndex ? "/" : String(decoding: path.utf8[..<end], as: UTF8.self)
    }

    static func name(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: slash) else { return path }
        return String(decoding: path.utf8[end...].dropFirst(), as: UTF8.self)
    }
}

// MARK: Temporary files

extension AtomicFile {
    /// The minimum age, in seconds, at which a temporary file counts as abandoned by a killed
    /// process: no write takes that long.
    ///
    /// The number of the process in the name doesn't tell: processes of other containers are
    /// invisible here, and the first process of a container always has the same number.
    private static var abandonedAfter: Int { 3600 }

    /// Returns a name for a temporary file: it begins with a dot and contains the process's number.
    private static func temporaryName(for target: String) -> String {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        return "\(temporaryPrefix(for: target))\(getpid())-\(number)"
    }

    private static func temporaryPrefix(for target: String) -> String {
        // File names are limited to 255 bytes.
        ".\(String(decoding: Array(name(of: target).utf8.prefix(200)), as: UTF8.self)).tmp-"
    }

    /// Removes the temporary files that killed processes left beside a file.
    ///
    /// - Complexity: O(*n*), where *n* is the number of files in the folder.
    static func removeAbandoned(beside path: String) {
        guard let target = try? destination(of: path) else { return }
        let (folder, prefix) = (parent(of: target), temporaryPrefix(for: target))
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.utf8.starts(with: prefix.utf8) {
            let numbers = name.utf8.dropFirst(prefix.utf8.count).split(separator: UInt8(ascii: "-"))
            let path = "\(folder)/\(name)"
            guard numbers.count == 2, numbers.allSatisfy({ Int(Substring($0)) != nil }),
                case .found(let status) = FileStatus(atPath: path),
                status.age(at: time(nil)) > abandonedAfter
            else { continue }
            unlink(path)
        }
    }
}
