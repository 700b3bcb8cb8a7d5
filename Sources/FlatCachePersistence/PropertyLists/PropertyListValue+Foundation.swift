public import Foundation

extension PropertyListValue {
    /// Creates a value from a Foundation object, such as an object that `UserDefaults` returns.
    ///
    /// - Parameter object: A Boolean, number, string, data, date, or an array or dictionary of
    ///   these, as a Swift value or as a Foundation object.
    /// - Throws: A ``PropertyListError`` with the location of an object of another type.
    /// - Complexity: O(*n*), where *n* is the size of the object.
    public init(propertyList object: Any) throws {
        try self.init(propertyList: object, depth: 0)
    }

    private init(propertyList object: Any, depth: Int) throws {
        guard depth <= Self.maximumDepth else { throw PropertyListError(.tooDeep) }
        // The order matters. Every number casts to NSNumber, and only the identity of the object
        // distinguishes a Boolean: for a number from a file, `1 as? Bool` is true on all systems.
        if let number = object as? NSNumber {
            self.init(number)
        } else if let string = object as? String {
            self = .string(string)
        } else if let data = object as? Data {
            self = .data(data)
        } else if let date = object as? Date {
            self = .date(date)
        } else if let array = object as? [Any] {
            self = .array(
                try array.enumerated().map { index, element in
                    try PropertyListError.within(.index(index)) {
                        try PropertyListValue(propertyList: element, depth: depth + 1)
                    }
                }
            )
        } else if let dictionary = object as? [AnyHashable: Any] {
            var values: [String: PropertyListValue] = [:]
            values.reserveCapacity(dictionary.count)
            for (key, element) in dictionary {
                guard let key = key as? String else {
                    throw PropertyListError(.unsupported("the key \(key), which isn't a string"))
                }
                values[key] = try PropertyListError.within(.key(key)) {
                    try PropertyListValue(propertyList: element, depth: depth + 1)
                }
            }
            self = .dictionary(values)
        } else {
            throw PropertyListError(.unsupported("an object of the type \(type(of: object))"))
        }
    }

    private init(_ number: NSNumber) {
        if number.isBoolean {
            self = .bool(number.boolValue)
            return
        }
        switch number.objCType.pointee {
        case Int8(bitPattern: UInt8(ascii: "f")), Int8(bitPattern: UInt8(ascii: "d")):
            self = .double(number.doubleValue)
        case Int8(bitPattern: UInt8(ascii: "Q")):
            let value = number.uint64Value
            self = Int64(exactly: value).map { .integer($0) } ?? .unsignedInteger(value)
        default:
            self = .integer(number.int64Value)
        }
    }

    /// The value as a Foundation object, for `UserDefaults` or `PropertyListSerialization`.
    ///
    /// - Complexity: O(*n*), where *n* is the size of the value.
    public var propertyList: Any {
        switch self {
        case .bool(let value): value
        case .integer(let value): Int(exactly: value) ?? value
        case .unsignedInteger(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .array(let values): values.map(\.propertyList)
        case .dictionary(let values): values.mapValues(\.propertyList)
        }
    }
}

extension NSNumber {
    /// `true` if this object is a Boolean and not a number.
    ///
    /// On all systems, Foundation has exactly two Boolean objects.
    fileprivate var isBoolean: Bool {
        self === (true as NSNumber) || self === (false as NSNumber)
    }
}

extension PropertyListValue {
    /// The only key of the dictionary that represents a reference of a keyed archive in XML.
    static let referenceKey = "CF$UID"

    /// Creates a value from a property list in the XML or binary format.
    ///
    /// This initializer rejects the old-style text format. Nearly any text is valid in that format,
    /// so a damaged file would pass as a valid one.
    ///
    /// - Parameter data: The bytes, such as those of a file.
    /// - Throws: A ``PropertyListError`` if the bytes aren't a property list, or if it contains a
    ///   value that `PropertyListValue` can't represent.
    /// - Complexity: O(*n*), where *n* is the number of bytes.
    public init(propertyListData data: Data) throws {
        if data.starts(with: BinaryPropertyList.signature) {
            self = try BinaryPropertyList.read(data)
            return
        }
        // XML in any encoding has its first markup within a few bytes. Foundation would read other
        // text in the old-style format, and write messages to the console.
        guard data.prefix(64).contains(UInt8(ascii: "<")) else {
            throw PropertyListError(
                .notUnderstood(data.isEmpty ? "there are no bytes" : "it isn't XML")
            )
        }
        var format = PropertyListSerialization.PropertyListFormat.xml
        let object: Any
        do {
            object = try PropertyListSerialization.propertyList(from: data, format: &format)
        } catch {
            throw PropertyListError(.notUnderstood("its \(data.count) bytes cannot be parsed"))
        }
        guard format == .xml else { throw PropertyListError(.notUnderstood("it isn't XML")) }
        try self.init(propertyList: object)
    }

    /// Returns the bytes of a property list that holds exactly this value.
    ///
    /// Equal values have equal bytes.
    ///
    /// - Parameter format: The format: XML or binary. In XML, dates have whole seconds, so call
    ///   this method on ``withWholeSeconds``.
    /// - Returns: The bytes.
    /// - Throws: A ``PropertyListError`` if a reader couldn't restore the value.
    /// - Complexity: O(*n*), where *n* is the size of the value.
    func propertyListData(
        format: PropertyListSerialization.PropertyListFormat
    ) throws -> Data {
        // A property list accepts some values that can't be read back, and some of them make the
        // whole property list unreadable: infinite dates, strings that begin with a byte order
        // mark, and dictionaries that look like a reference. Therefore the bytes are read back
        // before they are stored.
        guard
            let data = try? format == .binary
                ? BinaryPropertyListWriter.write(self) : XMLPropertyListWriter.write(self),
            let readBack = try? PropertyListValue(propertyListData: data),
            readBack == self
        else {
            throw PropertyListError(.unsupported("this value in a form that can be read back"))
        }
        return data
    }

    /// The value with each date rounded down to whole seconds, as XML stores it.
    ///
    /// - Complexity: O(*n*), where *n* is the size of the value.
    var withWholeSeconds: PropertyListValue {
        switch self {
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .array(let values): return .array(values.map(\.withWholeSeconds))
        case .dictionary(let values): return .dictionary(values.mapValues(\.withWholeSeconds))
        default: return self
        }
    }
}
