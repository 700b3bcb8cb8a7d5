#if canImport(CPostgres)
import FlatCacheRows
import Foundation

/// The type of the column for the identifiers of a type.
enum IdentifierColumn: String, Sendable {
    case bigint, text, uuid

    var definition: String {
        self == .text ? "text COLLATE \"C\"" : rawValue
    }
}

// The database receives and returns the identifiers as text.
extension IdentifierForm {
    var column: IdentifierColumn {
        switch self {
        case .integer: .bigint
        case .text: .text
        case .other: ID.self == UUID.self ? .uuid : .text
        }
    }

    func encode(_ id: ID) throws -> String {
        let text: String
        switch self {
        case .integer(let encode, _, let isSigned):
            let number = encode(id)
            guard isSigned || number >= 0 else { throw RowError.identifier }
            return String(number)
        case .text(let encode, _): text = encode(id)
        case .other:
            if let id = id as? UUID { return id.uuidString.lowercased() }
            text = try Self.coded(id)
        }
        if text.utf8.contains(0) { throw RowError.nullCharacter }
        return text
    }

    func decode(_ text: String) throws -> ID {
        let id: ID? =
            switch self {
            case .integer(_, let decode, _): Int64(text).flatMap(decode)
            case .text(_, let decode): decode(text)
            case .other where ID.self == UUID.self: UUID(uuidString: text) as? ID
            case .other: Self.decoded(text)
            }
        guard let id else { throw RowError.identifier }
        return id
    }

    /// Returns the text of an identifier that is encoded as a single string or integer.
    private static func coded(_ id: ID) throws -> String {
        let json = try JSONEncoder().encode([id])
        if let text = try? JSONDecoder().decode([String].self, from: json).first {
            return text.normalized
        }
        guard let number = try? JSONDecoder().decode([Int64].self, from: json).first else {
            throw RowError.identifier
        }
        return String(number)
    }

    private static func decoded(_ text: String) -> ID? {
        let forms = [try? JSONEncoder().encode([text]), Int64(text).map { Data("[\($0)]".utf8) }]
        return forms.lazy.compactMap { json in
            json.flatMap { try? JSONDecoder().decode([ID].self, from: $0).first }
        }.first
    }
}

extension RowError {
    /// The number of bytes that a value may take.
    static let maximumSize = 16_000_000

    static var identifier: RowError {
        RowError(
            "The identifier isn't an integer of 64 bits, a UUID, or a value that is encoded as one "
                + "string or integer."
        )
    }

    static var nullCharacter: RowError {
        RowError("The value contains U+0000, which PostgreSQL can't store.")
    }
}
#endif
