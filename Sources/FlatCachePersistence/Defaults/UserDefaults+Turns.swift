import Foundation

extension UserDefaults {
    /// Saves as a plain call does, but in turn with all who write defaults through this module.
    ///
    /// Foundation on Linux saves all domains of the process with any of them, in place.
    ///
    /// - Returns: What `synchronize()` does.
    @discardableResult
    func synchronizeInTurn() -> Bool {
        #if canImport(Darwin)
        return synchronize()
        #else
        let folder = Self.folder
        try? AtomicFile.createFolder(folder, isPrivate: true)
        guard let lock = try? FolderLock(folder: folder) else { return false }
        let isSaved = synchronize()
        _ = consume lock
        return isSaved
        #endif
    }

    #if !canImport(Darwin)
    /// Where Foundation has had its files since they were first used.
    private static let folder = AtomicFile.parent(of: DefaultsLocation(suiteName: nil).path)
    #endif
}
