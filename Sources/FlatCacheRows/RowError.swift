/// The reason for which a value can't become a row, or a row a value.
package struct RowError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    package static var otherType: RowError { RowError("The value has another type.") }
    package static var otherEntity: RowError { RowError("The row contains another entity.") }

    package static func missingUpgrade(_ version: Int) -> RowError {
        RowError("There is no upgrade from \(version).")
    }

    package static func tooLarge(_ size: Int, limit: Int) -> RowError {
        RowError("The row has \(size) bytes, more than \(limit).")
    }
}
