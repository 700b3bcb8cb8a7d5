/// A transformer that converts values to property-list values.
///
/// ```swift
/// let transformer = PropertyListValueTransformer<Date>()
/// let stored = try transformer.transformValue(Date(timeIntervalSinceReferenceDate: 0))
/// print(try transformer.untransformValue(stored))
/// ```
public struct PropertyListValueTransformer<Value: PropertyListRepresentable>: Transformer {
    /// Creates a transformer.
    public init() {}

    /// Returns the property-list form of a value.
    ///
    /// - Parameter value: The value.
    /// - Throws: An error if a property list can't hold the value.
    public func transformValue(_ value: Value) throws -> PropertyListValue {
        try value.propertyListValue
    }

    /// Returns the value of a property-list form.
    ///
    /// - Parameter output: The property-list form.
    /// - Throws: An error if no value of this type has this form.
    public func untransformValue(_ output: PropertyListValue) throws -> Value {
        try Value(propertyListValue: output)
    }
}
