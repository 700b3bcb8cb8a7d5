public import Foundation

extension UUID: PropertyListRepresentable {
    /// The identifier as text, as Foundation's encoders write it.
    public var propertyListValue: PropertyListValue { .string(uuidString) }

    /// Creates an identifier from its text.
    ///
    /// - Parameter propertyListValue: The text.
    /// - Throws: A ``PropertyListError`` for other text, or a value of another kind.
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
