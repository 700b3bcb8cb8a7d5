public import Foundation

extension URL: PropertyListRepresentable {
    /// The property-list form that `UserDefaults.url(forKey:)` reads: a path for a file URL, or
    /// otherwise a keyed archive.
    ///
    /// - Throws: The error of the archiver.
    public var propertyListValue: PropertyListValue {
        get throws {
            if isFileURL, query == nil, fragment == nil, let path = absoluteURL.storablePath {
                return .string(path)
            }
            let archive = try NSKeyedArchiver.archivedData(
                withRootObject: self as NSURL,
                requiringSecureCoding: true
            )
            // The archiver's bytes differ between processes, so an equal URL would count as a
            // change.
            return .data(BinaryPropertyListWriter.canonicalArchive(archive))
        }
    }

    /// The path, with a slash at the end if the URL has a directory path.
    private var storablePath: String? {
        let path = path(percentEncoded: false)
        guard path.hasPrefix("/") else { return nil }
        #if canImport(Darwin)
        // UserDefaults abbreviates the path too, because an app's folder may move with an update.
        let abbreviated = (path as NSString).abbreviatingWithTildeInPath
        return hasDirectoryPath && !abbreviated.hasSuffix("/") ? abbreviated + "/" : abbreviated
        #else
        return path
        #endif
    }

    /// Creates a URL from the form that `UserDefaults.set(_:forKey:)` or ``propertyListValue``
    /// produces.
    ///
    /// - Parameter propertyListValue: The property-list value.
    /// - Throws: A ``PropertyListError`` if the property-list value isn't a URL in this form, such
    ///   as a string that isn't an absolute path.
    public init(propertyListValue: PropertyListValue) throws {
        switch propertyListValue {
        case .string(let path) where path.hasPrefix("/"):
            self.init(fileURLWithPath: path, isDirectory: path.hasSuffix("/"))
        case .string(let path) where path.hasPrefix("~"):
            let expanded = (path as NSString).expandingTildeInPath
            guard expanded.hasPrefix("/") else { fallthrough }
            self.init(fileURLWithPath: expanded, isDirectory: path.hasSuffix("/"))
        case .string:
            throw PropertyListError(
                .mismatch(expected: "a URL", found: "a string that isn't an absolute path")
            )
        case .data(let data):
            guard let url = try? Self.unarchive(data) else {
                throw propertyListValue.mismatch(expected: "a URL")
            }
            self = url
        default:
            throw propertyListValue.mismatch(expected: "a URL")
        }
    }

    private static func unarchive(_ data: Data) throws -> URL? {
        #if canImport(Darwin)
        try NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: data) as URL?
        #else
        try KeyedArchiveReader.read(NSURL.self, from: data) as URL
        #endif
    }
}
