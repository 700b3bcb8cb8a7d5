public import Foundation

extension UUID: PropertyListRepresentable {
    /// The UUID as a string, in the form that Foundation's encoders write.
    ///
    /// For example, the string can be `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
    public var propertyListValue: PropertyListValue { .string(uuidString) }

    /// Creates a UUID from a string.
    ///
    /// - Parameter propertyListValue: The property-list value.
    /// - Throws: A ``PropertyListError`` if the property-list value isn't the string of a UUID.
    public init(propertyListValue: PropertyListValue) throws {
        let text = try String(propertyListValue: propertyListValue)
        guard let uuid = UUID(uuidString: text) else {
            throw PropertyListError(
                .mismatch(expected: "a UUID", found: "a string of another form")
            )
        }
        self = uuid
    }
}
