#if !canImport(Darwin)
import Foundation

extension KeyedArchiveReader {
    /// Returns an object of a Foundation class, or `nil` for another class.
    ///
    /// The initializers of these classes don't validate the archive's contents.
    func foundationObject(
        _ type: any (NSObject & NSSecureCoding).Type,
        _ allowed: [AnyClass]
    ) throws -> (any NSObject & NSSecureCoding)? {
        switch type {
        case is NSMutableString.Type: return NSMutableString(string: try value("NS.string"))
        case is NSString.Type: return NSString(string: try value("NS.string"))
        case is NSMutableData.Type: return NSMutableData(data: try value("NS.data"))
        case is NSData.Type: return NSData(data: try value("NS.data"))
        case is NSDate.Type: return NSDate(timeIntervalSinceReferenceDate: try value("NS.time"))
        case is NSUUID.Type: return try uuid()
        case is NSURL.Type: return try url()
        case is NSNull.Type: return NSNull()
        case is NSMutableArray.Type: return NSMutableArray(array: try list("NS.objects", allowed))
        case is NSArray.Type: return NSArray(array: try list("NS.objects", allowed))
        case is NSMutableSet.Type: return NSMutableSet(array: try list("NS.objects", allowed))
        case is NSSet.Type: return NSSet(array: try list("NS.objects", allowed))
        case is NSMutableDictionary.Type:
            return NSMutableDictionary(dictionary: try dictionary(allowed))
        case is NSDictionary.Type: return NSDictionary(dictionary: try dictionary(allowed))
        default: return nil
        }
    }

    private func value<Value: PropertyListRepresentable>(_ key: String) throws -> Value {
        guard let value = field(key) else { throw ArchiveError("an object lacks \(key)") }
        return try Value(propertyListValue: value)
    }

    private func uuid() throws -> NSUUID {
        let bytes = Array(try value("NS.uuidbytes") as Data)
        guard bytes.count == 16 else { throw ArchiveError("a UUID is damaged") }
        return bytes.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { NSUUID(uuidBytes: $0) } ?? NSUUID()
        }
    }

    private func url() throws -> NSURL {
        let base = decodeObject(of: NSURL.self, forKey: "NS.base")
        guard failure == nil,
            let text = decodeObject(of: NSString.self, forKey: "NS.relative"),
            let url = NSURL(string: "\(text)", relativeTo: base as URL?)
        else { throw failure ?? ArchiveError("a URL is damaged") }
        return url
    }

    private func list(_ key: String, _ allowed: [AnyClass]) throws -> [Any] {
        guard case .array(let references)? = field(key) else {
            throw ArchiveError("a collection is damaged")
        }
        return try references.map { reference in
            guard let element = try object(reference, allowed) else {
                throw ArchiveError("a collection holds a null reference")
            }
            return element
        }
    }

    private func dictionary(_ allowed: [AnyClass]) throws -> [AnyHashable: Any] {
        let keys = try list("NS.keys", allowed)
        let values = try list("NS.objects", allowed)
        guard keys.count == values.count else { throw ArchiveError("a dictionary is damaged") }
        var dictionary: [AnyHashable: Any] = [:]
        for (key, value) in zip(keys, values) {
            guard let key = key as? AnyHashable else {
                throw ArchiveError("a dictionary has a key that isn't hashable")
            }
            dictionary[key] = value
        }
        return dictionary
    }
}
#endif
