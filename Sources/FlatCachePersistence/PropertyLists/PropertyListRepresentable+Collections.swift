extension Array: PropertyListRepresentable where Element: PropertyListRepresentable {
    /// The property-list form of the array.
    ///
    /// - Throws: The error of an element, with the index in its path if it is a
    ///   ``PropertyListError``.
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

    /// Creates an array from its property-list form.
    ///
    /// - Parameter propertyListValue: The property-list value.
    /// - Throws: A ``PropertyListError`` if the property-list value isn't an array, or the error of
    ///   an element that isn't a value of the element type.
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
    /// The property-list form of the dictionary.
    ///
    /// - Throws: The error of a value, with the key in its path if it is a ``PropertyListError``.
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

    /// Creates a dictionary from its property-list form.
    ///
    /// - Parameter propertyListValue: The property-list value.
    /// - Throws: A ``PropertyListError`` if the property-list value isn't a dictionary, or the
    ///   error of a value that isn't of the value type.
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
