/// The form in which rows contain the identifiers of a type.
///
/// An engine converts these numbers and texts to and from its columns, and encodes the identifiers
/// of other types itself.
package enum IdentifierForm<ID: Hashable & Codable & Sendable>: Sendable {
    package struct Conversion<Stored>: Sendable {
        package let encode: @Sendable (ID) -> Stored
        /// A closure that returns `nil` if the type has no such identifier.
        package let decode: @Sendable (Stored) -> ID?
    }

    /// Integers of up to 64 bits, as signed integers with the same bits.
    case integer(Conversion<Int64>, isSigned: Bool)
    /// Strings, normalized.
    case text(Conversion<String>)
    /// Identifiers of any other type.
    case other

    package init() {
        self =
            Self.integers(Int.self) ?? Self.integers(Int64.self) ?? Self.integers(Int32.self)
            ?? Self.integers(Int16.self) ?? Self.integers(Int8.self) ?? Self.integers(UInt.self)
            ?? Self.integers(UInt64.self) ?? Self.integers(UInt32.self)
            ?? Self.integers(UInt16.self) ?? Self.integers(UInt8.self) ?? Self.strings ?? .other
    }

    // The casts convert a value to its own type, since the types were compared before.

    private static func integers<Number: FixedWidthInteger & Sendable>(
        _ type: Number.Type
    ) -> IdentifierForm? {
        guard Number.self == ID.self else { return nil }
        let conversion = Conversion<Int64> { identifier in
            Int64(truncatingIfNeeded: unsafeBitCast(identifier, to: Number.self))
        } decode: { stored in
            let number = Number(truncatingIfNeeded: stored)
            guard Int64(truncatingIfNeeded: number) == stored else { return nil }
            return unsafeBitCast(number, to: ID.self)
        }
        return .integer(conversion, isSigned: Number.isSigned)
    }

    private static var strings: IdentifierForm? {
        guard ID.self == String.self else { return nil }
        let conversion = Conversion<String> { identifier in
            unsafeBitCast(identifier, to: String.self).normalized
        } decode: { stored in
            unsafeBitCast(stored, to: ID.self)
        }
        return .text(conversion)
    }
}
