/// One of several entities that each commit of the probe sets to the same step.
package struct ProbeCell: Identifiable, Codable, Hashable, Sendable {
    package let id: Int
    package var step: Int

    package static let count = 10

    package init(id: Int, step: Int) {
        self.id = id
        self.step = step
    }
}

/// An entity that one commit of the probe inserts.
package struct ProbeEntry: Identifiable, Codable, Hashable, Sendable {
    /// The step of the commit.
    package let id: Int
    package var text: String

    /// The name of the list of the latest entries.
    package static let listName = "latest"

    /// Returns the identifiers of the latest entries after a number of steps.
    package static func latest(after step: Int) -> [Int] {
        Array(ids(after: step).suffix(5).reversed())
    }

    /// Returns the identifiers after a number of steps: each third step removes an earlier entry.
    package static func ids(after step: Int) -> [Int] {
        (0...step).dropFirst().filter { id in !((id + 2) % 3 == 0 && id + 2 <= step) }
    }
}
