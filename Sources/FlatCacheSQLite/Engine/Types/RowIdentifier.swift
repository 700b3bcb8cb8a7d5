#if canImport(SQLite3) || canImport(CSQLite)
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

    /// The text, or `nil` if the identifier is of another kind.
    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    func hasPrefix(_ prefix: String) -> Bool { text?.hasPrefix(prefix) ?? false }
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

    /// Returns whether a column contains an identifier of a form.
    func hasIdentifier(_ column: Int32, _ form: IdentifierColumn) -> Bool {
        switch form {
        case .integer: isInteger(column)
        case .text: isText(column)
        case .blob: isBlob(column)
        }
    }

    func identifier(_ column: Int32, _ form: IdentifierColumn) -> RowIdentifier {
        switch form {
        case .integer: .number(number(column))
        case .text: .text(text(column))
        case .blob: .bytes(Array(bytes(column)))
        }
    }
}
#endif
