import Foundation

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
