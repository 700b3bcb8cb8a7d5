#if canImport(SQLite3) || canImport(CSQLite)
import FlatCacheRows

/// An identifier as a column contains it.
enum RowIdentifier: Hashable, Sendable {
    case number(Int64)
    case text(String)
    case bytes([UInt8])

    /// Returns the compact encoding of an identifier that is neither an integer nor a string.
    static func bytes(of identifier: some Encodable) throws -> RowIdentifier {
        let writer = RowWriter.take()
        defer { writer.giveBack() }
        try writer.writeIdentifier(identifier)
        return .bytes(Array(writer.bytes.buffer))
    }

    /// The number of bytes that the identifier takes in a row, at most.
    var size: Int {
        switch self {
        case .number: MemoryLayout<Int64>.size
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }

    func hasPrefix(_ prefix: String) -> Bool {
        if case .text(let text) = self { text.hasPrefix(prefix) } else { false }
    }
}

extension RowIdentifier: Comparable {
    /// Returns whether an identifier precedes another one in the order of a table's rows.
    ///
    /// Rows that are written in this order are appended to the same page.
    static func < (left: RowIdentifier, right: RowIdentifier) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.bytes(let left), .bytes(let right)): left.lexicographicallyPrecedes(right)
        default: false
        }
    }
}

extension Statement {
    func bind(_ identifier: RowIdentifier, at index: Int32) {
        switch identifier {
        case .number(let number): bind(number, at: index)
        case .text(let text): bind(text, at: index)
        case .bytes(let bytes): bind(copyOf: bytes, at: index)
        }
    }
}

/// The type of the column for the identifiers of a type.
enum IdentifierColumn: String, Sendable {
    case integer = "INTEGER"
    case text = "TEXT"
    case blob = "BLOB"

    /// Creates the column that a file describes, perhaps by a damaged text.
    init(describedAs text: String) { self = IdentifierColumn(rawValue: text) ?? .blob }
}

extension IdentifierForm {
    var column: IdentifierColumn {
        switch self {
        case .integer: .integer
        case .text: .text
        case .other: .blob
        }
    }

    func encode(_ id: ID) throws -> RowIdentifier {
        switch self {
        case .integer(let encode, _, _): .number(encode(id))
        case .text(let encode, _): .text(encode(id))
        case .other: try .bytes(of: id)
        }
    }

    func decode(_ identifier: RowIdentifier) throws -> ID {
        let id: ID? =
            switch (self, identifier) {
            case (.integer(_, let decode, _), .number(let number)): decode(number)
            case (.text(_, let decode), .text(let text)): decode(text)
            case (.other, .bytes(let bytes)):
                try bytes.withUnsafeBytes { try CompactRowCoder().decode(ID.self, from: $0) }
            default: nil
            }
        guard let id else { throw RowError.otherIdentifier }
        return id
    }
}

/// The conversion of the identifiers of a table to and from its column.
///
/// A call of a closure needs no look-up of the conformances of the type, unlike one of a method.
struct IdentifierConversion<ID: Hashable & Codable & Sendable>: Sendable {
    let column: IdentifierColumn
    let encode: @Sendable (ID) throws -> RowIdentifier
    let decode: @Sendable (RowIdentifier) throws -> ID

    init() {
        let form = IdentifierForm<ID>()
        column = form.column
        encode = form.encode
        decode = form.decode
    }
}

extension RowError {
    static var otherIdentifier: RowError { RowError("The row has an identifier of another kind.") }
}

/// The encoding of the modification stamps of a type.
struct StampForm: Sendable {
    /// A closure that returns the encoding of a stamp, or `nil` if the stamp is of another type.
    let encode: @Sendable (any Comparable & Sendable) throws -> [UInt8]?
    /// A closure that returns the stamp that bytes contain.
    let decode: @Sendable (UnsafeRawBufferPointer) throws -> any Comparable & Sendable

    init<Stamp: Comparable & Codable & Sendable>(_ type: Stamp.Type) {
        encode = { stamp in
            try (stamp as? Stamp).map { try CompactRowCoder().encode($0) }
        }
        decode = { try CompactRowCoder().decode(type, from: $0) }
    }
}
#endif
