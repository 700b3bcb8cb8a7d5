/// Turns values that a property list holds into what a storage of property lists stores.
public struct PropertyListValueTransformer<Value: PropertyListRepresentable>: Transformer {
    /// Creates a transformer.
    public init() {}

    /// Returns a value as a property list holds it.
    ///
    /// - Parameter value: The value.
    /// - Throws: If a property list cannot hold it.
    public func transformValue(_ value: Value) throws -> PropertyListValue {
        try value.propertyListValue
    }

    /// Returns the value that a property list holds.
    ///
    /// - Parameter output: What the property list holds.
    /// - Throws: If that is a value of another type.
    public func untransformValue(_ output: PropertyListValue) throws -> Value {
        try Value(propertyListValue: output)
    }
}
