#if !canImport(Darwin)
import Foundation

/// The contents of a defaults domain's file at one moment.
struct DefaultsFile: Sendable {
    /// The identity, size and times of a file, for detecting later writes.
    struct Stamp: Equatable {
        private let device: UInt64
        private let node: UInt64
        private let size: Int
        private let modified: Int
        private let modifiedNanoseconds: Int
        private let changed: Int
        private let changedNanoseconds: Int

        fileprivate init(_ status: stat) {
            device = UInt64(status.st_dev)
            node = UInt64(status.st_ino)
            size = Int(status.st_size)
            modified = status.st_mtim.tv_sec
            modifiedNanoseconds = status.st_mtim.tv_nsec
            changed = status.st_ctim.tv_sec
            changedNanoseconds = status.st_ctim.tv_nsec
        }

        /// Returns `true` if every write after a moment changes the file's times.
        ///
        /// File systems may record times in whole seconds.
        fileprivate func isSettled(at moment: Int) -> Bool {
            moment - max(modified, changed) > 2
        }

        /// Returns `true` if the last write was so close to a moment that the writer may not have
        /// finished.
        fileprivate func isFresh(at moment: Int) -> Bool { moment - modified <= 2 }
    }

    /// The file's bytes, or `nil` if there was no file.
    let data: Data?
    let values: [String: PropertyListValue]
    let format: PropertyListSerialization.PropertyListFormat
    /// The keys that occur in several forms, which Swift considers equal.
    ///
    /// `values` has only one value for each of them.
    private let ambiguousKeys: Set<String>
    private let stamp: Stamp?
    private let isSettled: Bool

    /// Parses a file's contents.
    ///
    /// - Parameters:
    ///   - data: The bytes, or `nil` if there is no file.
    ///   - stamp: The file's stamp, taken before the bytes were read.
    /// - Throws: ``PropertyListError``.
    init(_ data: Data?, stamp: Stamp?) throws {
        var values: [String: PropertyListValue] = [:]
        var format = PropertyListSerialization.PropertyListFormat.xml
        if let data {
            let found = try PropertyListValue.read(data)
            guard case .dictionary(let dictionary) = found.value.withWholeSeconds else {
                throw found.value.mismatch(expected: "a dictionary")
            }
            (values, format) = (dictionary, found.format)
        }
        self.init(data, values, format, stamp)
    }

    private init(
        _ data: Data?,
        _ values: [String: PropertyListValue],
        _ format: PropertyListSerialization.PropertyListFormat,
        _ stamp: Stamp?
    ) {
        self.data = data
        self.values = values
        self.format = format
        ambiguousKeys = Self.ambiguousKeys(data, values)
        self.stamp = stamp
        isSettled = stamp?.isSettled(at: time(nil)) ?? false
    }

    private static func ambiguousKeys(
        _ data: Data?,
        _ values: [String: PropertyListValue]
    ) -> Set<String> {
        // The scan takes a considerable part of the time of a write, so it's skipped if all keys
        // are ASCII, and thus unambiguous.
        guard let data, !values.keys.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }) else {
            return []
        }
        return XMLEntries(data)?.ambiguousKeys(in: data) ?? []
    }

    /// Returns the value of a key.
    ///
    /// - Throws: ``PropertyListError``.
    func value(forKey key: String) throws -> PropertyListValue? {
        guard ambiguousKeys.contains(key), let data else { return values[key] }
        return try XMLEntries.value(forKey: key, in: data)
    }

    /// Returns whether other values equal those of the file, except for ambiguous keys.
    func holds(_ others: [String: PropertyListValue]) -> Bool {
        if ambiguousKeys.isEmpty { return values == others }
        return values.filter { !ambiguousKeys.contains($0.key) }
            == others.filter { !ambiguousKeys.contains($0.key) }
    }

    /// Returns the same contents with a newer stamp.
    func found(again stamp: Stamp?) -> DefaultsFile {
        DefaultsFile(data, values, format, stamp)
    }

    /// Returns `true` if the file's stamp proves that the file still has these contents.
    func isCertain(_ stamp: Stamp?) -> Bool {
        isSettled && stamp != nil && self.stamp == stamp
    }

    /// Returns a file's stamp without reading the file, or `nil` if there is no file.
    ///
    /// - Throws: ``FileError`` if the system can't return the file's status.
    static func stamp(of path: String) throws -> Stamp? {
        var status = stat()
        if stat(path, &status) == 0 { return Stamp(status) }
        guard errno == ENOENT else { throw FileError("read the status of", path) }
        return nil
    }

    /// Returns `true` if the last write to a file is so recent that the writer may not have
    /// finished.
    static func mayBeBeingWritten(_ path: String) -> Bool {
        guard let stamp = try? stamp(of: path) else { return true }
        return stamp.isFresh(at: time(nil))
    }

    /// Replaces the file with one in which some values are changed.
    ///
    /// - Parameters:
    ///   - changes: The values to store; `nil` removes a value.
    ///   - path: The path of the file.
    /// - Returns: The new file.
    /// - Throws: ``PropertyListError`` or ``FileError``; the file is unchanged.
    func replaced(
        with changes: [String: PropertyListValue?],
        at path: String
    ) throws -> DefaultsFile {
        var values = values
        for (key, value) in changes where value != nil || !ambiguousKeys.contains(key) {
            values[key] = value
        }
        // Foundation deletes a file without values, too.
        if values.isEmpty {
            try AtomicFile.remove(path)
            return DefaultsFile(nil, [:], .xml, nil)
        }
        let data =
            try edited(changes)
            ?? PropertyListValue.dictionary(values).propertyListData(format: format)
        try AtomicFile.write(data, to: path, durability: .unsynchronized, isPrivate: true)
        return DefaultsFile(data, values, format, nil)
    }

    /// Returns the bytes with a few changes made in place.
    ///
    /// Decoding and encoding all values takes longer than the rest of a write.
    ///
    /// - Returns: The bytes, or `nil` if all values must be encoded.
    private func edited(_ changes: [String: PropertyListValue?]) -> Data? {
        guard var data, format == .xml, changes.count <= 8 else { return nil }
        var values = values
        for (key, value) in changes {
            guard
                let edited = try? XMLEntries.replace(
                    value,
                    forKey: key,
                    in: data,
                    count: values.count
                )
            else { return nil }
            data = edited
            values[key] = value
        }
        return data
    }
}
#endif
