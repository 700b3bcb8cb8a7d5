#if canImport(CPostgres)
import FlatCache
import Foundation

/// The conversion of the identifiers of a type to and from the text of a column.
struct IdentifierText<ID: Hashable & Codable & Sendable>: Sendable {
    let column: IdentifierColumn
    let encode: @Sendable (ID) throws -> String
    let decode: @Sendable (String) throws -> ID

    /// Creates the form that suits the type: integers and UUIDs are stored as such, and strings
    /// and other identifiers as text.
    init() {
        if let form = Self.integers {
            self = form
        } else if ID.self == UUID.self {
            self.init(.uuid) { identifier in
                unsafeBitCast(identifier, to: UUID.self).uuidString.lowercased()
            } decode: { text in
                guard let identifier = UUID(uuidString: text) else { throw RowError.identifier }
                return unsafeBitCast(identifier, to: ID.self)
            }
        } else if ID.self == String.self {
            self.init(.text) { identifier in
                try Self.checked(unsafeBitCast(identifier, to: String.self))
            } decode: { text in
                unsafeBitCast(text, to: ID.self)
            }
        } else {
            self.init(.text, encode: Self.coded, decode: Self.decoded)
        }
    }

    private init(
        _ column: IdentifierColumn,
        encode: @escaping @Sendable (ID) throws -> String,
        decode: @escaping @Sendable (String) throws -> ID
    ) {
        self.column = column
        self.encode = encode
        self.decode = decode
    }

    private static var integers: IdentifierText? {
        integers(Int.self) ?? integers(Int64.self) ?? integers(Int32.self)
            ?? integers(Int16.self) ?? integers(Int8.self) ?? integers(UInt.self)
            ?? integers(UInt64.self) ?? integers(UInt32.self) ?? integers(UInt16.self)
            ?? integers(UInt8.self)
    }

    private static func integers<Number: FixedWidthInteger & Sendable>(
        _ type: Number.Type
    ) -> IdentifierText? {
        guard Number.self == ID.self else { return nil }
        return IdentifierText(.bigint) { identifier in
            let number = unsafeBitCast(identifier, to: Number.self)
            guard Int64(exactly: number) != nil else { throw RowError.identifier }
            return String(number)
        } decode: { text in
            guard let number = Number(text) else { throw RowError.identifier }
            return unsafeBitCast(number, to: ID.self)
        }
    }

    /// Returns a text in the form in which equal strings have equal bytes.
    private static func checked(_ text: String) throws -> String {
        if text.utf8.contains(0) { throw RowError.nullCharacter }
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        return isASCII ? text : text.precomposedStringWithCanonicalMapping
    }

    /// Returns the text of an identifier that encodes a single string or integer.
    private static func coded(_ identifier: ID) throws -> String {
        let json = try JSONEncoder().encode([identifier])
        if let text = try? JSONDecoder().decode([String].self, from: json).first {
            return try checked(text)
        }
        if let number = try? JSONDecoder().decode([Int64].self, from: json).first {
            return String(number)
        }
        throw RowError.identifier
    }

    private static func decoded(_ text: String) throws -> ID {
        if let identifier = try? JSONDecoder().decode(
            [ID].self,
            from: JSONEncoder().encode([text])
        ).first {
            return identifier
        }
        guard let number = Int64(text) else { throw RowError.identifier }
        let json = try JSONEncoder().encode([number])
        guard let identifier = try JSONDecoder().decode([ID].self, from: json).first else {
            throw RowError.identifier
        }
        return identifier
    }
}

/// The reasons for which a value doesn't become a row, or a row no value.
enum RowError: Error, CustomStringConvertible {
    case identifier, nullCharacter, tooLarge(Int), laterForm(Int), missingUpgrade(Int), otherType
    case otherIdentifier

    /// The number of bytes that a value may take.
    static let maximumSize = 16_000_000

    var description: String {
        switch self {
        case .identifier:
            "The identifier isn't an integer of 64 bits, a UUID, or a value that is encoded as one "
                + "string or integer."
        case .nullCharacter: "The value contains U+0000, which PostgreSQL can't store."
        case .tooLarge(let size):
            "The value takes \(size) bytes, more than \(Self.maximumSize)."
        case .laterForm(let form): "The row has the later form \(form)."
        case .missingUpgrade(let form): "There is no upgrade from the form \(form)."
        case .otherType: "An upgrade returned a value of another type than the next one takes."
        case .otherIdentifier: "The row contains a value with another identifier."
        }
    }
}

/// A step that upgrades the values of one form of a type to the next one.
struct Upgrade: Sendable {
    let form: Int
    let decode: @Sendable (JSONDecoder, Data) throws -> Any
    let apply: @Sendable (Any) throws -> Any

    init<Old: Decodable & Sendable, New>(
        from form: Int,
        _ body: @escaping @Sendable (Old) throws -> New
    ) {
        self.form = form
        decode = { decoder, data in try decoder.decode(Old.self, from: data) }
        apply = { old in
            guard let old = old as? Old else { throw RowError.otherType }
            return try body(old)
        }
    }
}
#endif
