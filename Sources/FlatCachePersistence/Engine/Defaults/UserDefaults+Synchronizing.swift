import Foundation

extension UserDefaults {
    /// Saves as `synchronize()` does, but locks out all writers of defaults that use this module.
    ///
    /// On Linux, Foundation saves all domains of the process in place whenever it saves one of
    /// them.
    ///
    /// - Parameter timeout: The maximum time of a wait for another writer.
    /// - Returns: The result of `synchronize()`, or `false` if the folder couldn't be locked.
    @discardableResult
    func synchronizeExclusively(timeout: Duration = FolderLock.timeout) -> Bool {
        #if canImport(Darwin)
        return synchronize()
        #else
        let folder = Self.folder
        try? AtomicFile.createFolder(folder, isPrivate: true)
        guard let lock = try? FolderLock(folder: folder, timeout: timeout) else { return false }
        let isSaved = synchronize()
        _ = consume lock
        return isSaved
        #endif
    }

    #if !canImport(Darwin)
    /// The folder of Foundation's files, fixed by their first use.
    private static let folder = AtomicFile.parent(of: DefaultsLocation(suiteName: nil).path)
    #endif
}
