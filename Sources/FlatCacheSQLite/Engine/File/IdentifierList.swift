#if canImport(SQLite3) || canImport(CSQLite)
/// Identifiers of one kind, as the log of transactions and the rows of lists and aliases contain
/// them: an array of numbers, texts or bytes.
struct IdentifierList: Codable {
    let identifiers: [RowIdentifier]

    init(_ identifiers: [RowIdentifier]) { self.identifiers = identifiers }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let numbers = try? container.decode([Int64].self) {
            identifiers = numbers.map { .number($0) }
        } else if let texts = try? container.decode([String].self) {
            identifiers = texts.map { .text($0) }
        } else {
            identifiers = try container.decode([[UInt8]].self).map { .bytes($0) }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch identifiers.first {
        case .number, nil: try container.encode(identifiers.compactMap(\.number))
        case .text: try container.encode(identifiers.compactMap(\.text))
        case .bytes: try container.encode(identifiers.compactMap(\.bytes))
        }
    }
}
#endif
