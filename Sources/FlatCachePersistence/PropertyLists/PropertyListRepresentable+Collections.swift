extension Array: PropertyListRepresentable where Element: PropertyListRepresentable {
    /// The elements as a property list holds them.
    ///
    /// - Throws: What an element's value throws, with the index in its path.
    /// - Complexity: O(*n*), where *n* is the size of all elements.
    public var propertyListValue: PropertyListValue {
        get throws {
            .array(
                try enumerated().map { index, element in
                    try PropertyListError.within(.index(index)) { try element.propertyListValue }
                }
            )
        }
    }

    /// Creates an array from what a property list holds.
    ///
    /// - Parameter propertyListValue: What is there.
    /// - Throws: A ``PropertyListError`` if it is no array, or one of its elements is something else.
    /// - Complexity: O(*n*), where *n* is the size of all elements.
    public init(propertyListValue: PropertyListValue) throws {
        guard case .array(let values) = propertyListValue else {
            throw propertyListValue.mismatch(expected: "an array")
        }
        self = try values.enumerated().map { index, value in
            try PropertyListError.within(.index(index)) { try Element(propertyListValue: value) }
        }
    }
}

extension Dictionary: PropertyListRepresentable
where Key == String, Value: PropertyListRepresentable {
    /// The values as a property list holds them.
    ///
    /// - Throws: What a value throws, with its key in the path.
    /// - Complexity: O(*n*), where *n* is the size of all values.
    public var propertyListValue: PropertyListValue {
        get throws {
            var values: [String: PropertyListValue] = [:]
            values.reserveCapacity(count)
            for (key, value) in self {
                values[key] = try PropertyListError.within(.key(key)) {
                    try value.propertyListValue
                }
            }
            return .dictionary(values)
        }
    }

    /// Creates a dictionary from what a property list holds.
    ///
    /// - Parameter propertyListValue: What is there.
    /// - Throws: A ``PropertyListError`` if it is no dictionary, or one of its values is something
    ///   else.
    /// - Complexity: O(*n*), where *n* is the size of all values.
    public init(propertyListValue: PropertyListValue) throws {
        guard case .dictionary(let values) = propertyListValue else {
            throw propertyListValue.mismatch(expected: "a dictionary")
        }
        self = [:]
        reserveCapacity(values.count)
        for (key, value) in values {
            self[key] = try PropertyListError.within(.key(key)) {
                try Value(propertyListValue: value)
            }
        }
    }
}
