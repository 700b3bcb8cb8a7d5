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

extension Author: Decodable {
    private enum CodingKeys: String, CodingKey {
        case id, name, born, birthplace
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        born = try container.decodeIfPresent(WholeNumber.self, forKey: .born)?.value
        birthplace = try container.decodeIfPresent(String.self, forKey: .birthplace)
    }
}
