#if !canImport(Darwin)
import Foundation

/// A reader of keyed archives for systems whose `NSKeyedUnarchiver` ends the process at some
/// damaged archives.
///
/// One thread uses a reader, during one call.
final class KeyedArchiveReader: NSCoder {
    private let objects: [PropertyListValue]
    private var fields: [String: PropertyListValue]
    private var decoded: [Int: Any] = [:]
    /// The indices of the objects that are being decoded, to find an object that contains itself.
    private var underway: Set<Int> = []
    private(set) var failure: (any Error)?

    /// Returns the root object of an archive.
    ///
    /// - Parameter type: The class of the object, or a superclass of it.
    /// - Throws: ``ArchiveError``, ``PropertyListError``, or the error that the object has set.
    static func read<Object: NSObject & NSSecureCoding>(
        _ type: Object.Type,
        from data: Data
    ) throws -> Object {
        let archive = try contents(of: data)
        guard case .dictionary(let contents) = archive,
            contents["$archiver"] == .string("NSKeyedArchiver"),
            case .array(let objects)? = contents["$objects"],
            case .dictionary(let top)? = contents["$top"]
        else { throw ArchiveError("it isn't a keyed archive") }
        let reader = KeyedArchiveReader(objects: objects, top: top)
        let object = reader.decodeObject(of: [type], forKey: NSKeyedArchiveRootObjectKey)
        if let failure = reader.failure { throw failure }
        guard let object = object as? Object else { throw ArchiveError("it holds no object") }
        return object
    }

    private static let xmlReferenceKey = "CF#UID"

    private static func contents(of data: Data) throws -> PropertyListValue {
        if data.starts(with: BinaryPropertyList.signature) {
            return try BinaryPropertyList.read(data, readsReferences: true)
        }
        // Foundation decodes references as objects without a public interface. Renaming their key
        // keeps them dictionaries. A text that looks like the key can't match, because XML escapes
        // it.
        let known = Data("<key>\(PropertyListValue.referenceKey)</key>".utf8)
        let unknown = Data("<key>\(xmlReferenceKey)</key>".utf8)
        var text = data
        var rest = text.startIndex..<text.endIndex
        while let found = text.range(of: known, in: rest) {
            text.replaceSubrange(found, with: unknown)
            rest = found.upperBound..<text.endIndex
        }
        return try PropertyListValue(propertyListData: text)
    }

    /// Throws an error if a class has no name that `NSKeyedArchiver` can write, since the archiver
    /// would end the process.
    static func checkName(of type: AnyClass) throws {
        let name = String(reflecting: type)
        guard NSKeyedArchiver.classNameForClass(type) == nil, name.split(separator: ".").count != 2
        else { return }
        throw ArchiveError(
            "the class \(name) has no name there; set one with NSKeyedArchiver.setClassName(_:for:)"
        )
    }

    private init(objects: [PropertyListValue], top: [String: PropertyListValue]) {
        self.objects = objects
        fields = top
    }

    // MARK: NSCoder

    override var allowsKeyedCoding: Bool { true }
    override var requiresSecureCoding: Bool { true }
    override var error: (any Error)? { failure }
    override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy { .setErrorAndReturn }

    override func failWithError(_ error: any Error) { failure = failure ?? error }

    override func containsValue(forKey key: String) -> Bool { field(key) != nil }

    override func decodeBool(forKey key: String) -> Bool { scalar(key) ?? false }
    override func decodeInteger(forKey key: String) -> Int { scalar(key) ?? 0 }
    override func decodeInt32(forKey key: String) -> Int32 { scalar(key) ?? 0 }
    override func decodeInt64(forKey key: String) -> Int64 { scalar(key) ?? 0 }
    override func decodeDouble(forKey key: String) -> Double { scalar(key) ?? 0 }

    override func decodeFloat(forKey key: String) -> Float {
        // The archived number may not be exactly representable as a `Float`.
        (scalar(key) as Double?).map { Float($0) } ?? 0
    }

    override func withDecodedUnsafeBytes<ResultType>(
        forKey key: String,
        body: (UnsafeRawBufferPointer?) throws -> ResultType
    ) rethrows -> ResultType {
        guard let data: Data = scalar(key) else { return try body(nil) }
        return try data.withUnsafeBytes { try body($0) }
    }

    override func decodeObject(forKey key: String) -> Any? {
        guard let value = field(key) else { return nil }
        if let index = index(value), objects[index] == .string("$null") { return nil }
        failWithError(
            ArchiveError(
                """
                init(coder:) decodes '\(key)' with decodeObject(forKey:), which allows no class; use \
                decodeObject(of:forKey:) there
                """
            )
        )
        return nil
    }

    override func decodePropertyList(forKey key: String) -> Any? {
        let classes: [AnyClass] = [
            NSArray.self, NSDictionary.self, NSString.self, NSNumber.self, NSData.self,
            NSDate.self,
        ]
        return decodeObject(of: classes, forKey: key)
    }

    override func decodeObject<DecodedObjectType: NSCoding>(
        of cls: DecodedObjectType.Type,
        forKey key: String
    ) -> DecodedObjectType? where DecodedObjectType: NSObject {
        decodeObject(of: [cls], forKey: key) as? DecodedObjectType
    }

    override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
        decoding(key) { try object($0, classes ?? []) }
    }

    // MARK: Values

    func field(_ key: String) -> PropertyListValue? {
        // Archivers escape keys that begin with the prefix of the archivers' keys.
        fields[key.hasPrefix("$") ? "$" + key : key]
    }

    private func scalar<Value: PropertyListRepresentable>(_ key: String) -> Value? {
        decoding(key) { try Value(propertyListValue: $0) }
    }

    /// Returns the result of decoding a field, or `nil`, after recording the error.
    private func decoding<Value>(
        _ key: String,
        _ decode: (PropertyListValue) throws -> Value?
    ) -> Value? {
        guard failure == nil, let value = field(key) else { return nil }
        do {
            return try decode(value)
        } catch {
            failWithError(error)
            return nil
        }
    }

    private func index(_ value: PropertyListValue?) -> Int? {
        guard case .dictionary(let reference)? = value, reference.count == 1,
            case .integer(let number)? = reference[PropertyListValue.referenceKey]
                ?? reference[Self.xmlReferenceKey],
            let index = Int(exactly: number), objects.indices.contains(index)
        else { return nil }
        return index
    }

    func object(_ reference: PropertyListValue, _ allowed: [AnyClass]) throws -> Any? {
        guard let index = index(reference) else { throw ArchiveError("a reference is damaged") }
        switch objects[index] {
        case .string("$null"): return nil
        // On these systems, archivers write mutable and immutable strings and data alike.
        case .string(let text) where allowed.contains { $0 == NSMutableString.self }:
            return NSMutableString(string: text)
        case .string(let text): return try check(NSString(string: text), allowed)
        case .data(let data) where allowed.contains { $0 == NSMutableData.self }:
            return NSMutableData(data: data)
        case .data(let data): return try check(NSData(data: data), allowed)
        case .bool(let flag): return try check(NSNumber(value: flag), allowed)
        case .integer(let number): return try check(NSNumber(value: number), allowed)
        case .unsignedInteger(let number): return try check(NSNumber(value: number), allowed)
        case .double(let number): return try check(NSNumber(value: number), allowed)
        case .dictionary(let fields): return try object(index, fields, allowed)
        case .date, .array: throw ArchiveError("an object is damaged")
        }
    }

    private func check(_ object: NSObject, _ allowed: [AnyClass]) throws -> Any {
        guard allowed.contains(where: { object.isKind(of: $0) }) else {
            throw ArchiveError("it holds an object of the class \(type(of: object))")
        }
        return object
    }

    private func object(
        _ index: Int,
        _ fields: [String: PropertyListValue],
        _ allowed: [AnyClass]
    ) throws -> Any {
        let type = try allowedClass(of: fields, allowed)
        if let known = decoded[index] { return known }
        guard underway.insert(index).inserted else {
            throw ArchiveError("an object refers to itself")
        }
        guard underway.count <= PropertyListValue.maximumDepth else {
            throw ArchiveError("its objects are nested too deeply")
        }
        let outer = self.fields
        self.fields = fields
        defer {
            self.fields = outer
            underway.remove(index)
        }
        let made = try foundationObject(type, allowed) ?? type.init(coder: self)
        if let failure { throw failure }
        guard let made else { throw ArchiveError("the initializer of \(type) returned nil") }
        decoded[index] = made
        return made
    }

    private func allowedClass(
        of fields: [String: PropertyListValue],
        _ allowed: [AnyClass]
    ) throws -> any (NSObject & NSSecureCoding).Type {
        guard let index = index(fields["$class"]),
            case .dictionary(let description) = objects[index],
            case .string(let name)? = description["$classname"]
        else { throw ArchiveError("a class is damaged") }
        guard let type = NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
        else {
            throw ArchiveError("it holds an object of the class \(name), which is unknown")
        }
        guard let secure = type as? any (NSObject & NSSecureCoding).Type,
            secure.supportsSecureCoding,
            allowed.contains(where: { secure.isSubclass(of: $0) })
        else { throw ArchiveError("it holds an object of the class \(name)") }
        return secure
    }
}
#endif
