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
        // Without a folder, there is nothing yet that could be lost.
        let folder = AtomicFile.parent(of: DefaultsLocation(suiteName: nil).path)
        let lock = try? FolderLock(folder: folder)
        let isSaved = synchronize()
        _ = consume lock
        return isSaved
        #endif
    }
}
