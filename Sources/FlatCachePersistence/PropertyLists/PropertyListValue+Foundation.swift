import Foundation

extension PropertyListValue {
    /// Takes over a Foundation object, such as one that `UserDefaults` returns.
    ///
    /// - Parameter object: A Boolean, number, string, data, date, or an array or dictionary of
    ///   those, as a Swift value or as an object.
    /// - Throws: A ``PropertyListError`` that says where there is something else.
    /// - Complexity: O(*n*), where *n* is the size of the object.
    public init(propertyList object: Any) throws {
        try self.init(propertyList: object, depth: 0)
    }

    private init(propertyList object: Any, depth: Int) throws {
        guard depth <= Self.maximumDepth else { throw PropertyListError(.tooDeep) }
        // The order matters. Every number casts to NSNumber, of which only the object itself knows
        // whether it is a Boolean: on Linux, as on Apple's systems, `1 as? Bool` is true for a
        // number that comes from a file.
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
                    throw PropertyListError(.unsupported("the key \(key), which is no string"))
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

    /// The value as Foundation takes it, for `UserDefaults` or `PropertyListSerialization`.
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
    /// Whether this stands for true or false, and not for a number.
    ///
    /// There are only two objects that do, everywhere.
    fileprivate var isBoolean: Bool {
        self === (true as NSNumber) || self === (false as NSNumber)
    }
}
