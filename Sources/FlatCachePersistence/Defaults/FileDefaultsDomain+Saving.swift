#if !canImport(Darwin)
import Foundation

/// Has Foundation save what plain calls have set, without harm to the file.
///
/// Foundation truncates the file, then may find no room, or write what nobody can read again; and it tells
/// only whether all domains of the process are saved. So that is tried first, and looked at afterwards.
extension FileDefaultsDomain {
    /// Returns the file after Foundation has saved what it has in memory; `nil` if it can't.
    func savedIfPossible() -> DefaultsFile? {
        guard let inMemory = try? memories.map({ try $0.values() }), inMemory != unsavable else {
            return nil
        }
        do {
            return try lockAndSave()
        } catch {
            unsavable = inMemory
            return nil
        }
    }

    /// Returns the file after Foundation has saved what it has in memory.
    ///
    /// - Throws: If it can't; the file is as it was.
    func lockAndSave() throws -> DefaultsFile {
        let lock = try lockFolder()
        defer { withExtendedLifetime(lock) {} }
        return try save()
    }

    /// Whether plain calls may have set something that is not saved, to judge by a file that has just
    /// been read.
    func hasUnsaved(_ found: DefaultsFile) throws -> Bool {
        try memories.contains { memory in
            let values = try memory.values()
            return !found.holds(values) && known?.holds(values) != true
        }
    }

    /// Reads the file, after Foundation has saved what it has in memory, while other processes are
    /// locked out.
    func save() throws -> DefaultsFile {
        let found = try loadLocked()
        // The file is sound, so a copy that was left behind is of no use.
        try AtomicFile.remove(copyPath)
        var current = found
        if let data = found.data, data.count > Self.largeSize {
            current = try saveLarge(found, data)
        } else if try hasUnsaved(found) {
            try prepareToSave(found)
            current = try letFoundationSave(found)
            try AtomicFile.remove(copyPath)
        } else {
            current = try forgetMemory(found)
        }
        unsavable = nil
        return current
    }

    /// The number of bytes above which Foundation isn't asked for all values of a domain.
    private static let largeSize = 4 << 20

    /// Has Foundation save a large domain, whether a plain call has set a value or not.
    ///
    /// Foundation on Linux copies data byte by byte: a comparison of all values takes ten times as
    /// long as a save. If nothing is set, Foundation doesn't touch the file. Otherwise a copy of
    /// the file protects it, but nothing checks beforehand that the new file will be readable and
    /// fit the disk.
    ///
    /// - Throws: ``UnsavedDefaultsError`` if Foundation could not save; the file has been restored.
    private func saveLarge(_ found: DefaultsFile, _ data: Data) throws -> DefaultsFile {
        try AtomicFile.write(data, to: copyPath, durability: .unsynchronized, isPrivate: true)
        let current = try forgetMemory(found)
        // Reading a torn file restores the copy, which then is no more.
        guard access(copyPath, F_OK) == 0 else { throw UnsavedDefaultsError(name: path) }
        try AtomicFile.remove(copyPath)
        return current
    }

    /// Has Foundation save what plain calls have set.
    private func letFoundationSave(_ found: DefaultsFile) throws -> DefaultsFile {
        // More than once: what is set in the meantime may be what the file had before.
        for _ in 0..<20 {
            let current = try forgetMemory(found)
            if current.data != found.data { return current }
            if try !hasUnsaved(current) { return current }
            // Gone if it has been restored.
            if found.data != nil, access(copyPath, F_OK) != 0 { break }
        }
        try AtomicFile.remove(copyPath)
        throw UnsavedDefaultsError(name: path)
    }

    /// Has Foundation save what it has in memory, and read the file when it is next asked.
    ///
    /// - Parameter found: What the file holds before.
    /// - Returns: What it holds then: what has been set at any moment before may be saved.
    /// - Throws: ``UnsavedDefaultsError`` if that has gone wrong, and the file is as it was.
    func forgetMemory(_ found: DefaultsFile) throws -> DefaultsFile {
        // What is found again is not parsed again.
        known = found
        for memory in memories { memory.synchronize() }
        do {
            let current = try loadLocked()
            known = current
            return current
        } catch is DefaultsFileError {
            if let data = found.data {
                try AtomicFile.write(data, to: path, durability: .unsynchronized, isPrivate: true)
            } else {
                try AtomicFile.remove(path)
            }
            throw UnsavedDefaultsError(name: path)
        }
    }

    /// Sees to it that Foundation can save what it has in memory, and makes a copy of the file in case it
    /// can't.
    private func prepareToSave(_ found: DefaultsFile) throws {
        var merged = found.values
        for memory in memories { try merged.merge(memory.values()) { $1 } }
        guard let all = try? PropertyListValue.dictionary(merged).propertyListData(format: .xml)
        else {
            let key = merged.first { key, value in
                (try? PropertyListValue.dictionary([key: value]).propertyListData(format: .xml))
                    == nil
            }
            throw UnsavedDefaultsError(name: path, unreadableKey: key?.key)
        }
        // What fits here fits there.
        for data in [all, found.data].compactMap(\.self) {
            try AtomicFile.write(data, to: copyPath, durability: .unsynchronized, isPrivate: true)
        }
        if found.data == nil { try AtomicFile.remove(copyPath) }
    }

    /// Where a copy of the file is while Foundation writes it in place.
    var copyPath: String {
        "\(AtomicFile.parent(of: path))/.\(AtomicFile.name(of: path)).unsaved"
    }

    /// Removes a file without any bytes, as a killed process or a full disk leaves behind, after a
    /// copy was made beside it.
    ///
    /// Foundation, too, takes such a file for a domain without values. While it is there, it may be
    /// one that Foundation is just about to write, so this is for a file that stays empty.
    ///
    /// - Returns: `true` if the file had no bytes.
    func removeEmpty() throws -> Bool {
        guard let data = try AtomicFile.read(path) else { return true }
        guard data.isEmpty else { return false }
        _ = try AtomicFile.copyAside(path, marker: corruptMarker())
        try AtomicFile.remove(path)
        return true
    }

    /// Restores the copy that was made before Foundation wrote the file, which has gone wrong, here or in
    /// a process that has been killed.
    ///
    /// - Returns: Whether there was one.
    func restoreCopy() throws -> Bool {
        guard let copy = try AtomicFile.read(copyPath) else { return false }
        guard (try? DefaultsFile(copy, stamp: nil)) != nil else { return false }
        // Not by renaming it: the file may be reached through a link, and have permissions of its own.
        try AtomicFile.write(copy, to: path, durability: .unsynchronized, isPrivate: true)
        try AtomicFile.remove(copyPath)
        return true
    }
}
#endif
