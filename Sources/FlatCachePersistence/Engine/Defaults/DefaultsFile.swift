#if !canImport(Darwin)
import Foundation

/// The contents of a defaults domain's file at one moment.
struct DefaultsFile: Sendable {
    /// The metadata of a file, for detecting later writes.
    typealias Stamp = FileStatus.Metadata

    /// The file's bytes, or `nil` if there was no file.
    let data: Data?
    let values: [ExactString: PropertyListValue]
    let format: PropertyListSerialization.PropertyListFormat
    /// The keys that have canonical equivalents, one of each group.
    private let equivalentKeys: Set<String>
    private let stamp: Stamp?
    private let isSettled: Bool

    /// Parses a file's contents.
    ///
    /// - Parameters:
    ///   - data: The bytes, or `nil` if there is no file.
    ///   - stamp: The file's stamp, taken before the bytes were read.
    /// - Throws: ``PropertyListError``.
    init(_ data: Data?, stamp: Stamp?) throws {
        let (values, format) = try data.map(Self.read) ?? ([:], .xml)
        self.init(data, values, format, stamp)
    }

    private init(
        _ data: Data?,
        _ values: [ExactString: PropertyListValue],
        _ format: PropertyListSerialization.PropertyListFormat,
        _ stamp: Stamp?
    ) {
        self.data = data
        self.values = values
        self.format = format
        var (forms, equivalentKeys): (Set<String>, Set<String>) = ([], [])
        // A file of ASCII can't have such keys, and the search would take a considerable part of
        // the time of a write.
        if data?.isASCII == false {
            for key in values.keys where !forms.insert(key.key).inserted {
                equivalentKeys.insert(key.key)
            }
        }
        self.equivalentKeys = equivalentKeys
        self.stamp = stamp
        isSettled = stamp?.isSettled(at: time(nil)) ?? false
    }

    private static func read(
        _ data: Data
    ) throws -> ([ExactString: PropertyListValue], PropertyListSerialization.PropertyListFormat) {
        if data.starts(with: BinaryPropertyList.signature) {
            return (try BinaryPropertyList.readEntries(data).mapValues(\.withWholeSeconds), .binary)
        }
        return (try PropertyListValue.readXMLEntries(data).mapValues(\.withWholeSeconds), .xml)
    }

    /// Returns whether the values that Foundation returns equal those of the file.
    ///
    /// Keys with canonical equivalents aren't compared, since Foundation returns one of them.
    func holds(_ others: [String: PropertyListValue]) -> Bool {
        let others = others.filter { !equivalentKeys.contains($0.key) }
        return others.count + equivalents.count == values.count
            && others.allSatisfy { values[ExactString($0)] == $1 }
    }

    func hasEquivalents(_ key: ExactString) -> Bool { equivalentKeys.contains(key.key) }

    /// The values of the keys that have canonical equivalents.
    var equivalents: [ExactString: PropertyListValue] {
        equivalentKeys.isEmpty ? [:] : values.filter { hasEquivalents($0.key) }
    }

    /// Returns the values that Foundation has dropped from an earlier file, because it has saved
    /// another value under a canonically equivalent key.
    func valuesDropped(from earlier: DefaultsFile) -> [ExactString: PropertyListValue?] {
        guard data != earlier.data, data?.isASCII == false else { return [:] }
        let keys = Set(values.keys.map(\.key))
        return earlier.values.filter { values[$0.key] == nil && keys.contains($0.key.key) }
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
        switch FileStatus(atPath: path) {
        case .found(let stamp): return stamp
        case .missing: return nil
        case .inaccessible(let code): throw FileError("read the status of", path, code: code)
        }
    }

    /// Returns `true` if the last write to a file is so recent that the writer may not have
    /// finished.
    static func mayBeBeingWritten(_ path: String) -> Bool {
        guard case .found(let stamp) = FileStatus(atPath: path) else { return true }
        return stamp.age(at: time(nil)) <= 2
    }

    /// Replaces the file with one in which some values are changed.
    ///
    /// - Parameters:
    ///   - changes: The values to store; `nil` removes a value.
    ///   - path: The path of the file.
    /// - Returns: The new file.
    /// - Throws: ``PropertyListError`` or ``FileError``; the file is unchanged.
    func replaced(
        with changes: [ExactString: PropertyListValue?],
        at path: String
    ) throws -> DefaultsFile {
        var values = values
        for (key, value) in changes { values[key] = value }
        // Foundation deletes a file without values, too.
        if values.isEmpty {
            try AtomicFile.remove(path)
            return DefaultsFile(nil, [:], .xml, nil)
        }
        // Only a new value, or a dictionary with a single key, may be one that no reader restores,
        // unless all values get another form, since they have equivalent keys.
        let hasAnotherForm = format == .binary && Set(values.keys.map(\.key)).count < values.count
        let isRestorable =
            !hasAnotherForm && values.count > 1
            && changes.allSatisfy { key, value in
                guard let value else { return true }
                let alone = PropertyListValue.dictionary([key.key: value])
                return (try? alone.propertyListData(format: format)) != nil
            }
        let data =
            try isRestorable
            ? Self.write(values, format: format) : Self.data(of: values, format: format)
        try AtomicFile.write(data, to: path, durability: .unsynchronized, isPrivate: true)
        return DefaultsFile(data, values, format, nil)
    }

    /// Returns the bytes of a file with some values.
    ///
    /// - Throws: ``PropertyListError`` if a reader couldn't restore a value.
    static func data(
        of values: [ExactString: PropertyListValue],
        format: PropertyListSerialization.PropertyListFormat
    ) throws -> Data {
        let data = try write(values, format: format)
        guard (try? read(data))?.0 == values else {
            throw PropertyListError(.unsupported("this value in a form that can be read back"))
        }
        return data
    }

    private static func write(
        _ values: [ExactString: PropertyListValue],
        format: PropertyListSerialization.PropertyListFormat
    ) throws -> Data {
        if format == .binary {
            var dictionary: [String: PropertyListValue] = [:]
            for (key, value) in values { dictionary[key.key] = value }
            // The binary writer writes one of several equivalent keys.
            if dictionary.count == values.count {
                return BinaryPropertyListWriter.write(.dictionary(dictionary))
            }
        }
        return try XMLPropertyListWriter.write(entries: values)
    }
}

extension Data {
    fileprivate var isASCII: Bool { withUnsafeBytes { $0.allSatisfy { $0 < 0x80 } } }
}

extension FileStatus.Metadata {
    /// Returns `true` if every write after a moment, in seconds, changes the file's times.
    ///
    /// File systems may record times in whole seconds.
    fileprivate func isSettled(at moment: Int) -> Bool {
        Int64(moment) - max(contentTime, changeTime) / 1_000_000_000 > 2
    }
}
#endif
