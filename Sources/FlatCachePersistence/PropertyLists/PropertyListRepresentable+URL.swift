public import Foundation

extension URL: PropertyListRepresentable {
    /// The address as `UserDefaults.url(forKey:)` reads it: the path of a file, else an archive.
    ///
    /// - Throws: What the archiver throws.
    public var propertyListValue: PropertyListValue {
        get throws {
            if isFileURL, query == nil, fragment == nil, let path = absoluteURL.storablePath {
                return .string(path)
            }
            let archive = try NSKeyedArchiver.archivedData(
                withRootObject: self as NSURL,
                requiringSecureCoding: true
            )
            // The archiver's own bytes differ from process to process: an equal address would count
            // as a change.
            return .data(BinaryPropertyListWriter.canonicalArchive(archive))
        }
    }

    /// The path, with a slash at the end if this says that it is a folder's.
    private var storablePath: String? {
        let path = path(percentEncoded: false)
        guard path.hasPrefix("/") else { return nil }
        #if canImport(Darwin)
        // As UserDefaults does it: an app's own folder may be elsewhere after an update.
        let abbreviated = (path as NSString).abbreviatingWithTildeInPath
        return hasDirectoryPath && !abbreviated.hasSuffix("/") ? abbreviated + "/" : abbreviated
        #else
        return path
        #endif
    }

    /// Creates an address from what `UserDefaults.set(_:forKey:)` stores for one, or this type.
    ///
    /// - Parameter propertyListValue: What is there.
    /// - Throws: A ``PropertyListError`` if it is something else, such as a string that is no
    ///   absolute path.
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
                .mismatch(expected: "a URL", found: "a string that is no absolute path")
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

    /// Reads a keyed archive of a URL by hand, because Foundation's unarchiver may end the process
    /// at a damaged one.
    private static func unarchive(_ data: Data) throws -> URL? {
        let archive = try BinaryPropertyList.read(data, readsReferences: true)
        guard case .dictionary(let contents) = archive,
            case .array(let objects)? = contents["$objects"],
            case .dictionary(let top)? = contents["$top"]
        else { return nil }
        func object(_ reference: PropertyListValue?) -> PropertyListValue? {
            guard case .dictionary(let reference)? = reference,
                case .integer(let index)? = reference[PropertyListValue.referenceKey],
                let index = Int(exactly: index), objects.indices.contains(index)
            else { return nil }
            return objects[index]
        }
        func url(_ value: PropertyListValue?, depth: Int) -> URL? {
            guard depth > 0, case .dictionary(let fields)? = value,
                case .string(let relative)? = object(fields["NS.relative"])
            else { return nil }
            return URL(
                string: relative,
                relativeTo: url(object(fields["NS.base"]), depth: depth - 1)
            )
        }
        return url(object(top[NSKeyedArchiveRootObjectKey]), depth: 8)
    }
}
