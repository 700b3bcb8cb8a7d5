#if !canImport(Darwin)
import FlatCache
import Foundation

/// The methods that make Foundation save the values that plain calls have set, without damage to
/// the file.
///
/// Foundation truncates the file first. It may then run out of disk space, or write a file that
/// can't be parsed. The result of `synchronize()` only indicates whether all domains of the process
/// are saved. So this code first encodes the values and writes them to another file, and reads the
/// domain's file afterwards.
extension FileDefaultsDomain {
    /// Returns the file after Foundation has saved the values in its cache, or `nil` if saving
    /// failed.
    func savedIfPossible() -> DefaultsFile? {
        guard let cached = try? caches.map({ try $0.values() }), cached != unsavable else {
            return nil
        }
        do {
            return try lockAndSave(timeout: min(timeout, readTimeout))
        } catch {
            // The lock may be free at the next read.
            if !error.isBusy { unsavable = cached }
            return nil
        }
    }

    /// Returns the file after Foundation has saved the values in its cache.
    ///
    /// - Throws: An error if saving failed; the file is unchanged.
    func lockAndSave(timeout: Duration = .zero) throws -> DefaultsFile {
        let lock = try lockFolder(timeout: timeout)
        defer { withExtendedLifetime(lock) {} }
        return try save()
    }

    /// Returns `true` if plain calls may have set values that aren't saved in a file that has just
    /// been read.
    func hasUnsaved(_ found: DefaultsFile) throws -> Bool {
        try caches.contains { cache in
            // Nearly always `true`, and faster than a conversion of all values.
            if cache.holdsExactly(found) { return false }
            let values = try cache.values()
            if found.equivalents.contains(where: { key, value in
                let hasFallback = FoundationDefaultsCache.hasFallback(forKey: key.key)
                return !cache.has(value, forKey: key.key, hasFallback: hasFallback)
            }) {
                return true
            }
            return !found.holds(values) && known?.holds(values) != true
        }
    }

    /// Has Foundation save the values in its cache, and returns the file.
    ///
    /// The caller holds the folder's lock.
    func save() throws -> DefaultsFile {
        let found = try loadLocked()
        // The file is valid, so a copy from an earlier save isn't needed.
        try AtomicFile.remove(copyPath)
        var current = found
        if try hasUnsaved(found) {
            try prepareToSave(found)
            current = try letFoundationSave(found)
            try AtomicFile.remove(copyPath)
        } else {
            current = try synchronizeCaches(found)
        }
        let dropped = current.valuesDropped(from: found)
        if !dropped.isEmpty {
            current = try synchronizeCaches(try current.replaced(with: dropped, at: path))
        }
        unsavable = nil
        return current
    }

    /// Has Foundation save the values that plain calls have set.
    private func letFoundationSave(_ found: DefaultsFile) throws -> DefaultsFile {
        // Several attempts: a value that another thread sets meanwhile may equal the value in the
        // file.
        for _ in 0..<20 {
            let current = try synchronizeCaches(found)
            if current.data != found.data { return current }
            if try !hasUnsaved(current) { return current }
            // If the copy is missing, it has been restored because saving failed.
            if found.data != nil, access(copyPath, F_OK) != 0 { break }
        }
        try AtomicFile.remove(copyPath)
        throw UnsavedDefaultsError(name: path)
    }

    /// Has Foundation save the values in its cache, and read the file at its next use.
    ///
    /// - Parameter found: The file before the save.
    /// - Returns: The file after the save. It may contain any value that was set before the save.
    /// - Throws: ``UnsavedDefaultsError`` if saving failed; the file is unchanged.
    func synchronizeCaches(_ found: DefaultsFile) throws -> DefaultsFile {
        // If the contents are the same, `find()` doesn't parse them again.
        known = found
        #if TestHooks
        Perturbation.perturb()
        #endif
        for cache in caches { cache.synchronize() }
        do {
            // An empty file after a save is a save that has failed.
            let current = try loadLocked(acceptsEmpty: found.data == nil)
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

    /// Checks that Foundation can save the values in its cache, and makes a copy of the file in
    /// case saving fails.
    private func prepareToSave(_ found: DefaultsFile) throws {
        var merged = found.values
        for (key, value) in try caches.flatMap({ try $0.values() }) {
            if !found.hasEquivalents(ExactString(key)) { merged[ExactString(key)] = value }
        }
        guard let all = try? DefaultsFile.data(of: merged, format: .xml) else {
            let entry = merged.first { key, value in
                (try? DefaultsFile.data(of: [key: value], format: .xml)) == nil
            }
            throw UnsavedDefaultsError(name: path, unreadableKey: entry?.key.key)
        }
        // If these bytes fit on the disk, Foundation's file fits as well.
        for data in [all, found.data].compactMap(\.self) {
            try AtomicFile.write(data, to: copyPath, durability: .unsynchronized, isPrivate: true)
        }
        if found.data == nil { try AtomicFile.remove(copyPath) }
    }

    /// The path of the copy that exists while Foundation writes the file in place.
    var copyPath: String {
        "\(AtomicFile.parent(of: path))/.\(AtomicFile.name(of: path)).unsaved"
    }

    /// Copies an empty file aside and removes it.
    ///
    /// A killed process or a full disk may leave an empty file behind.
    ///
    /// Foundation also treats such a file as a domain without values. A file that is empty for a
    /// moment may be one that Foundation is about to write, so call this only if the file remains
    /// empty.
    ///
    /// - Returns: `true` if the file is empty or missing.
    func removeEmpty() throws -> Bool {
        guard let data = try AtomicFile.read(path) else { return true }
        guard data.isEmpty else { return false }
        _ = try AtomicFile.copyAside(path, marker: corruptMarker())
        try AtomicFile.remove(path)
        return true
    }

    /// Restores the copy that was made before Foundation wrote the file, because that write failed
    /// in this process or in one that was killed.
    ///
    /// - Returns: `true` if a valid copy was found and restored.
    func restoreCopy() throws -> Bool {
        guard let copy = try AtomicFile.read(copyPath) else { return false }
        guard (try? DefaultsFile(copy, stamp: nil)) != nil else { return false }
        // The copy isn't renamed, because the file may be reached through a link, and have its own
        // permissions.
        try AtomicFile.write(copy, to: path, durability: .unsynchronized, isPrivate: true)
        try AtomicFile.remove(copyPath)
        return true
    }
}
#endif
