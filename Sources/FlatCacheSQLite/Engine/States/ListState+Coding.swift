#if canImport(SQLite3) || canImport(CSQLite)
import FlatCache

// The row of a list contains all but its name, which is the row's identifier.
extension ListState: Codable where Element.ID: Codable {
    private enum CodingKeys: CodingKey { case ids, pins, cursors, ends, isComplete }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let cursors = try container.decode([String].self, forKey: .cursors)
        let ends = try container.decode([Int].self, forKey: .ends)
        guard cursors.count == ends.count else {
            throw DecodingError.dataCorruptedError(
                forKey: .ends,
                in: container,
                debugDescription: "The list has \(cursors.count) cursors, but \(ends.count) ends."
            )
        }
        self.init(
            id: "",
            ids: try container.decode([Element.ID].self, forKey: .ids),
            pinsElements: try container.decode(Bool.self, forKey: .pins),
            boundaries: zip(cursors, ends).map { PageBoundary(cursor: $0, position: $1) },
            isComplete: try container.decode(Bool.self, forKey: .isComplete)
        )
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(ids, forKey: .ids)
        try container.encode(pinsElements, forKey: .pins)
        try container.encode(boundaries.map(\.cursor), forKey: .cursors)
        try container.encode(boundaries.map(\.position), forKey: .ends)
        try container.encode(isComplete, forKey: .isComplete)
    }
}

extension StateRules {
    /// Returns the rules for the declared lists of a type.
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
