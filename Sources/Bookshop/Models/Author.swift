import FlatCache

/// An author, identified by a name suitable for a URL, such as `le-guin`.
struct Author: Identifiable, Equatable, Sendable {
    let id: String
    var name: String?

    /// The year of birth.
    var born: Int?

    /// The town of birth, under the name that it had at the time.
    var birthplace: String?
}

extension Author: Mergeable {
    func merged(with other: Author) -> Author {
        Author(
            id: id,
            name: other.name ?? name,
            born: other.born ?? born,
            birthplace: other.birthplace ?? birthplace
        )
    }
}

extension Author: Decodable {}
