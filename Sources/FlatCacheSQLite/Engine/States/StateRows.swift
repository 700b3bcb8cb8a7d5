#if canImport(SQLite3) || canImport(CSQLite)
/// The row of a list without its name: that's the row's identifier.
struct ListRow<ID: Codable>: Codable {
    let ids: [ID]
    let pins: Bool
    let cursors: [String]
    let ends: [Int]
    let isComplete: Bool
}

extension ListRow {
    /// Returns the row with other identifiers, or `nil` if none of its identifiers has another one.
    ///
    /// If several identifiers become one, the list keeps it at its first position. The ends of the
    /// pages move with the elements.
    ///
    /// - Parameter rename: A closure that returns the other identifier, or `nil` if there is none.
    func renamed<Other: Hashable & Codable>(
        _ rename: (ID) throws -> Other?
    ) rethrows -> ListRow<Other>? {
        var others: [Other] = []
        var known: Set<Other> = []
        var ends: [Int: Int] = [0: 0]
        let oldEnds = Set(self.ends)
        for (index, id) in ids.enumerated() {
            if let other = try rename(id), known.insert(other).inserted { others.append(other) }
            if oldEnds.contains(index + 1) { ends[index + 1] = others.count }
        }
        if others.isEmpty, !ids.isEmpty { return nil }
        return ListRow<Other>(
            ids: others,
            pins: pins,
            cursors: cursors,
            // A damaged row can contain an end beyond its elements.
            ends: self.ends.map { ends[$0] ?? $0 },
            isComplete: isComplete
        )
    }
}

/// The row of an alias without its name: that's the row's identifier.
struct AliasRow<ID: Codable>: Codable {
    let target: ID
    let pins: Bool
}
#endif
