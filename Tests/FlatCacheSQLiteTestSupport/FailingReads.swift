import FlatCache
import Foundation

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// Reads of database files that fail, as on a network file system.
///
/// The file system of SQLite's connections counts the reads of a file, and fails one of them.
enum FailingReads {
    private struct State {
        /// The paths of the open files.
        var paths: [UnsafeMutableRawPointer: String] = [:]
        /// The number of reads before the one that fails, by the path of the file.
        var readsLeft: [String: Int] = [:]
    }

    private static let state = Locked(State())

    /// Makes one of the next reads of a file fail.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - count: The number of reads before that read.
    static func fail(_ path: String, after count: Int) {
        precondition(isInstalled)
        state.withLock { $0.readsLeft[path] = count }
    }

    /// Lets all reads of a file succeed again.
    ///
    /// - Returns: A Boolean value that indicates whether a read has failed.
    @discardableResult
    static func end(_ path: String) -> Bool {
        state.withLock { $0.readsLeft.removeValue(forKey: path) } == nil
    }

    /// Returns whether the present read of a file fails.
    private static func fails(_ file: UnsafeMutableRawPointer?) -> Bool {
        state.withLock { state in
            guard let file, let path = state.paths[file], let left = state.readsLeft[path] else {
                return false
            }
            state.readsLeft[path] = left == 0 ? nil : left - 1
            return left == 0
        }
    }

    nonisolated(unsafe) private static let standard = sqlite3_vfs_find(nil)
    nonisolated(unsafe) private static let methods =
        UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    nonisolated(unsafe) private static var read = sqlite3_io_methods().xRead

    /// Installs the file system for the connections that are opened later, once.
    ///
    /// The initializer of a test suite reads the property before graphs open their files.
    static let isInstalled: Bool = {
        guard let standard else { return false }
        let failing = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        failing.initialize(to: standard.pointee)
        failing.pointee.zName = UnsafePointer(strdup("failing-reads"))
        failing.pointee.xOpen = { _, name, file, flags, result in
            let standard = FailingReads.standard
            let code = standard?.pointee.xOpen(standard, name, file, flags, result) ?? SQLITE_ERROR
            guard code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let file, let name,
                let own = file.pointee.pMethods
            else { return code }
            let path = String(cString: name)
            FailingReads.state.withLock { state in
                if FailingReads.read == nil {
                    FailingReads.methods.initialize(to: own.pointee)
                    FailingReads.read = own.pointee.xRead
                    FailingReads.methods.pointee.xRead = { file, bytes, count, offset in
                        if FailingReads.fails(file) { return SQLITE_IOERR | (1 << 8) }
                        return FailingReads.read?(file, bytes, count, offset) ?? SQLITE_IOERR
                    }
                }
                state.paths[UnsafeMutableRawPointer(file)] = path
            }
            file.pointee.pMethods = UnsafePointer(FailingReads.methods)
            return code
        }
        return sqlite3_vfs_register(failing, 1) == SQLITE_OK
    }()
}
