#if canImport(SQLite3) || canImport(CSQLite)
import Foundation

/// The replacement of a damaged file by a new one.
///
/// The new file is complete before the damaged one is moved. If the process ends in between, the
/// next one finds either the damaged file at its place, and replaces it again, or only the new
/// file, and finishes the replacement.
struct FileReplacement {
    let path: String
    /// The path of the new file before the replacement.
    let newPath: String

    init(_ path: String) {
        self.path = path
        newPath = path + "-new"
    }

    private var manager: FileManager { .default }

    /// Runs a closure while no other process replaces a file in the folder.
    func withLock<Result>(
        _ body: () throws(SQLiteGraphError) -> Result
    ) throws(SQLiteGraphError) -> Result {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        // Without the lock, two processes may replace a file twice, but no rows are lost.
        if descriptor >= 0 { flock(descriptor, LOCK_EX) }
        defer { if descriptor >= 0 { close(descriptor) } }
        return try body()
    }

    /// Removes an incomplete file with those beside it.
    static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    /// Moves the damaged file away and the new one to its path; returns the damaged file's name.
    func moveFiles() throws(SQLiteGraphError) -> String {
        var name = "\(path).corrupt-\(WallTime(Date()).milliseconds)"
        while manager.fileExists(atPath: name) { name += "-again" }
        try moving {
            // Without its log, the damaged file would lack its latest transactions. A hard link
            // needs no space.
            if manager.fileExists(atPath: path + "-wal"), link(path + "-wal", name + "-wal") != 0 {
                try manager.copyItem(atPath: path + "-wal", toPath: name + "-wal")
            }
            try manager.moveItem(atPath: path, toPath: name)
            try moveNewFile()
        }
        return name
    }

    /// Finishes a replacement that another process has begun; returns the error that led to it.
    func finish() throws(SQLiteGraphError) -> SQLiteGraphError? {
        try withLock { () throws(SQLiteGraphError) in
            guard !manager.fileExists(atPath: path), manager.fileExists(atPath: newPath) else {
                return nil
            }
            try moving { try moveNewFile() }
            return SQLiteGraphError(
                .corrupt,
                file: path,
                reason: """
                    The file was damaged. Another process, which ended in the meantime, moved it \
                    to a name that begins with \(path).corrupt-, and copied its readable rows.
                    """
            )
        }
    }

    private func moveNewFile() throws {
        // SQLite would apply the log of the damaged file to the new one.
        for suffix in ["-wal", "-shm"] { try remove(path + suffix) }
        try manager.moveItem(atPath: newPath, toPath: path)
    }

    private func remove(_ path: String) throws {
        if manager.fileExists(atPath: path) { try manager.removeItem(atPath: path) }
    }

    private func moving(_ body: () throws -> Void) throws(SQLiteGraphError) {
        do {
            try body()
        } catch {
            throw SQLiteGraphError(
                (error as? CocoaError)?.code == .fileWriteOutOfSpace ? .diskFull : .corrupt,
                file: path,
                reason: "The file is damaged and can't be replaced: \(error)",
                underlyingError: error
            )
        }
    }
}
#endif
