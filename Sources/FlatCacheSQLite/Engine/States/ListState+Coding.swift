#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

extension ListState: Codable where Element.ID: Codable {
    init(from decoder: any Decoder) throws {
        let row = try ListRow<Element.ID>(from: decoder)
        guard row.cursors.count == row.ends.count else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: """
                        The list has \(row.cursors.count) cursors, but \(row.ends.count) ends.
                        """
                )
            )
        }
        self.init(
            id: "",
            ids: row.ids,
            pinsElements: row.pins,
            boundaries: zip(row.cursors, row.ends).map { PageBoundary(cursor: $0, position: $1) },
            isComplete: row.isComplete
        )
    }

    func encode(to encoder: any Encoder) throws {
        let row = ListRow(
            ids: ids,
            pins: pinsElements,
            cursors: boundaries.map(\.cursor),
            ends: boundaries.map(\.position),
            isComplete: isComplete
        )
        try row.encode(to: encoder)
    }
}

extension StateRules {
    static func lists<Element: Identifiable & Sendable>(
        of type: Element.Type,
        _ lists: ListDeclarations
    ) -> StateRules where State == ListState<Element>, Element.ID: Codable & Sendable {
        lists.check()
        let loading = Dictionary(uniqueKeysWithValues: lists.single.map { ($0.name, $0.loading) })
        let prefixed = lists.prefixed
        return StateRules(
            names: lists.single.map(\.name),
            prefixes: prefixed,
            isKept: { name in loading[name] != nil || prefixed.contains { $0.contains(name) } },
            form: IdentifierForm().renaming(lists.single.map { ($0.name, $0.storedName) }),
            named: { $0.named($1) },
            related: { state in
                let time = loading[state.id] ?? prefixed.first { $0.contains(state.id) }?.loading
                guard time == .atStart else { return [] }
                return state.ids.map { CacheKey(Element.self, id: $0) }
            },
            merge: { stored, edited in edited.appended(to: stored) },
            describe: { "The list \(String(reflecting: $0)) of \(Element.self)" }
        )
    }
}
#endif
