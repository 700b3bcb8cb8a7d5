/// A transformer that converts values to property-list values.
///
/// ```swift
/// let transformer = RawRepresentableTransformer<Theme>().append(PropertyListValueTransformer())
/// let stored = try transformer.transformValue(.dark)
/// print(stored == .string("dark"))  // true
/// ```
///
/// Persisters and properties apply it by themselves. Use it to write such a value to a storage
/// directly, for example with ``UserDefaultsStorage/storeValue(_:key:)``.
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
