/// The form in which rows contain the identifiers of a type.
///
/// An engine converts these numbers and texts to and from its columns, and encodes the identifiers
/// of other types itself.
package enum IdentifierForm<ID: Hashable & Codable & Sendable>: Sendable {
    /// Integers of up to 64 bits, as signed integers with the same bits.
    ///
    /// The second closure returns `nil` if the type doesn't contain the number.
    case integer(
        encode: @Sendable (ID) -> Int64,
        decode: @Sendable (Int64) -> ID?,
        isSigned: Bool
    )
    /// Strings, normalized.
    case text(encode: @Sendable (ID) -> String, decode: @Sendable (String) -> ID)
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
        return .integer(
            encode: { Int64(truncatingIfNeeded: unsafeBitCast($0, to: Number.self)) },
            decode: { stored in
                let number = Number(truncatingIfNeeded: stored)
                guard Int64(truncatingIfNeeded: number) == stored else { return nil }
                return unsafeBitCast(number, to: ID.self)
            },
            isSigned: Number.isSigned
        )
    }

    private static var strings: IdentifierForm? {
        guard ID.self == String.self else { return nil }
        return .text(
            encode: { unsafeBitCast($0, to: String.self).normalized },
            decode: { unsafeBitCast($0, to: ID.self) }
        )
    }
}
