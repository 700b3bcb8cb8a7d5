#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

/// The row of a list or an alias without its name: that's the row's identifier.
protocol StateRow: Codable {
    /// Returns the row with the present identifiers of its entities, or `nil` if none is left.
    func renamed(_ names: FormerNames) -> Self?
}

struct ListRow: StateRow {
    let ids: IdentifierList
    let pins: Bool
    let cursors: [String]
    let ends: [Int]
    let isComplete: Bool

    // If several identifiers become one, the list keeps it at its first position. The ends of the
    // pages move with the elements.
    func renamed(_ names: FormerNames) -> ListRow? {
        var others: [RowIdentifier] = []
        var known: Set<RowIdentifier> = []
        var ends: [Int: Int] = [0: 0]
        let oldEnds = Set(self.ends)
        for (index, id) in ids.identifiers.enumerated() {
            if let other = names[id], known.insert(other).inserted { others.append(other) }
            if oldEnds.contains(index + 1) { ends[index + 1] = others.count }
        }
        if others.isEmpty, !ids.identifiers.isEmpty { return nil }
        return ListRow(
            ids: IdentifierList(others),
            pins: pins,
            cursors: cursors,
            // A damaged row can contain an end beyond its elements.
            ends: self.ends.map { ends[$0] ?? $0 },
            isComplete: isComplete
        )
    }
}

struct AliasRow: StateRow {
    /// The identifier of the entity alone.
    let target: IdentifierList
    let pins: Bool

    func renamed(_ names: FormerNames) -> AliasRow? {
        let target = target.identifiers.compactMap { names[$0] }
        return target.isEmpty ? nil : AliasRow(target: IdentifierList(target), pins: pins)
    }
}

extension ListState: Codable where Element.ID: Codable {
    init(from decoder: any Decoder) throws {
        let row = try ListRow(from: decoder)
        guard row.cursors.count == row.ends.count else {
            throw RowError(
                description: """
                    The list has \(row.cursors.count) cursors, but \(row.ends.count) ends.
                    """
            )
        }
        self.init(
            id: "",
            ids: try row.ids.identifiers.map(IdentifierForm().decode),
            pinsElements: row.pins,
            boundaries: zip(row.cursors, row.ends).map { PageBoundary(cursor: $0, position: $1) },
            isComplete: row.isComplete
        )
    }

    func encode(to encoder: any Encoder) throws {
        let row = ListRow(
            ids: IdentifierList(try ids.map(IdentifierForm().encode)),
            pins: pinsElements,
            cursors: boundaries.map(\.cursor),
            ends: boundaries.map(\.position),
            isComplete: isComplete
        )
        try row.encode(to: encoder)
    }
}

extension AliasState: Codable where Value.ID: Codable {
    init(from decoder: any Decoder) throws {
        let row = try AliasRow(from: decoder)
        guard let target = row.target.identifiers.first else { throw RowError.otherIdentifier }
        self.init(id: "", target: try IdentifierForm().decode(target), pinsTarget: row.pins)
    }

    func encode(to encoder: any Encoder) throws {
        let target = IdentifierList([try IdentifierForm().encode(target)])
        try AliasRow(target: target, pins: pinsTarget).encode(to: encoder)
    }
}

// The row of a request contains its response.
extension RequestState: Codable {
    /// Throws, since only the load of a request knows the type of its response.
    ///
    /// `DurableTable.readResponse(of:as:)` decodes the response itself.
    init(from decoder: any Decoder) throws {
        throw RowError(description: "A response can be decoded only as the type of a load.")
    }

    func encode(to encoder: any Encoder) throws {
        let response = responseValue
        guard let response = response as? any Encodable else {
            throw RowError(description: "\(responseType) doesn't conform to Codable.")
        }
        var container = encoder.singleValueContainer()
        try container.encode(response)
    }
}
#endif
